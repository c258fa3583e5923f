// The part of node's library that the tests use.
declare module "zlib" {
    export function deflateSync(bytes: Uint8Array, options?: { level: number }): Uint8Array;
}

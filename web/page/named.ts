// The findings that name a method or a class: its frames have a mark in the graph, and the line under the graph leads to the findings. The
// self-contained page has the findings of its recording, the server's page those of the service.
import { Profile } from "../model/profile";
import { remember } from "./remember";

export interface Naming {
    title: string;
    names: string[]; // of methods and classes
    open: () => void; // shows the finding
}

// Returns the numbers of the names of the profile that any finding names.
export const namesMarked = remember(({ strings }: Profile, namings: Naming[], count: number): Set<number> => {
    const wanted = new Set(namings.flatMap(({ names }) => names));
    const marked = new Set<number>();
    for (let i = 0; wanted.size > 0 && i < count; i++) {
        if (wanted.has(strings[i])) {
            marked.add(i);
        }
    }
    return marked;
});

export function namingsOf({ strings }: Profile, namings: Naming[], name: number): Naming[] {
    return name < 0 ? [] : namings.filter(({ names }) => names.includes(strings[name]));
}

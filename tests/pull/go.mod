module candor.example/pull

go 1.21

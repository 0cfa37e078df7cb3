// SPDX-License-Identifier: MIT
// What emscripten makes of the program, as far as the shell uses it.
declare function engine(options: object): Promise<engine.Engine>;
declare namespace engine {
    interface Engine {
        HEAPU8: Uint8Array;
        FS: { getStream(fd: number): { tty: boolean } };
        callMain(words: string[]): void;
        ccall(name: string, returns: string | null, types: string[], values: unknown[]): any;
        UTF8ToString(at: number): string;
        _malloc(size: number): number;
        _free(at: number): void;
    }
}
export = engine;

// SPDX-License-Identifier: MIT
// What the program asks of the shell around it; a shell that lacks one of these does without.
mergeInto(LibraryManager.library, {
    // spawn(program, words, output, input) runs a program to its end, with these files as its
    // descriptors 1 and 3. It returns the status; 256 and more: a signal's number and 256;
    // negative: there is no such program.
    shell_spawn: function (program, words, fds) {
        const texts = [];
        for (let at = (words >> 2) + 1; HEAP32[at]; at++) texts.push(UTF8ToString(HEAP32[at]));
        const files = [1, 3].map((fd) => (FS.getStream(HEAP32[(fds >> 2) + fd]) || {}).nfd);
        return Module['spawn'] ? Module['spawn'](UTF8ToString(program), texts, ...files) : -1;
    },
    shell_spawn__sig: 'iiii',
    // draw(dot) makes an SVG of DOT's text, as graphviz does.
    shell_draw__deps: ['malloc'],
    shell_draw: function (dot) {
        const svg = Module['draw'] ? Module['draw'](UTF8ToString(dot)) : '';
        return svg ? allocateUTF8(svg) : 0;
    },
    shell_draw__sig: 'ii',
    // columns(fd): how many columns a terminal has, 0 if it is none.
    shell_columns: function (fd) {
        return Module['columns'] ? Module['columns'](fd) : 0;
    },
    shell_columns__sig: 'ii',
    // umask(mask): sets it, and returns the one before.
    shell_umask: function (mask) {
        return Module['umask'] ? Module['umask'](mask) : 18;
    },
    shell_umask__sig: 'ii',
});

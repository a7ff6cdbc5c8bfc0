const permission = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software,
and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above
copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The ISC licence, which one of the packages inside the player has. */
const isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is
hereby granted, provided that the above copyright notice and this permission notice appear in all copies. THE
SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN
AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`;

const rrweb =
  "rrweb (MIT), Copyright (c) 2018 Contributors (github.com/rrweb-io/rrweb) and SmartX Inc.";
const inPlayer = `mitt (MIT), Copyright (c) 2021 Jason Miller
@xstate/fsm (MIT), Copyright (c) 2015 David Khourshid
base64-arraybuffer (MIT), Copyright (c) 2012 Niklas von Hertzen
postcss (MIT), Copyright 2013 Andrey Sitnik
nanoid (MIT), Copyright 2017 Andrey Sitnik
picocolors (ISC), Copyright (c) 2021-2024 Oleksii Raspopov, Kostiantyn Denysov, Anton Verinov`;

/**
 * Stand at the head of the served scripts, because a minifier drops comments: the library and what is bundled inside it
 * ask that their notice goes with every copy.
 */
export const recorderNotice = `/*! ${rrweb}
${permission} */
`;
export const playerNotice = `/*! ${rrweb}
${inPlayer}
${permission}
${isc} */
`;

const space = 0x20;

/** Removes spaces at both ends, and only spaces. A pattern would need quadratic time for many inner spaces. */
export function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === space) start += 1;
  while (end > start && text.charCodeAt(end - 1) === space) end -= 1;
  return text.slice(start, end);
}

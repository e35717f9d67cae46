/** The search takes longer than `JSON.parse`: it reads no value that begins after this many characters. */
const maxSearched = 16_384;
/** The search reads no characters beyond this. A list of a thousand phone numbers is shorter. */
const maxRead = 8 * maxSearched;

// oxlint-disable-next-line regexp/no-super-linear-move -- sticky
const spaces = /[ \t\r\n]*/y;
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const text = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\x00-\x1f]*)*"/y;
// oxlint-disable-next-line regexp/no-super-linear-move -- sticky
const otherScalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/**
 * Where JSON that cannot be parsed stops being valid. `JSON.parse` names the position in some of its messages only, and
 * not in the same way in each version of Node. The caller has checked that the nesting is not deep.
 */
export function describeJsonFault(json: string): string {
  const read = json.slice(0, maxRead);
  const search = new FaultSearch(read);
  const at = search.find();
  const character = String.fromCodePoint(json.codePointAt(at) ?? 0);
  const isText = character === '"' && !search.take(text);
  const isCut = read.length < json.length && (isText || at === read.length);
  if (search.isOver || isCut) return `after character ${Math.min(at, maxSearched)}`;
  if (at === json.length) return `it ends too early, ${placeOf(json, at)}`;
  return `${isText ? 'invalid or unfinished string' : `unexpected ${character}`} ${placeOf(json, at)}`;
}

function placeOf(json: string, at: number): string {
  const before = json.slice(0, at).split('\n');
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

class FaultSearch {
  /** Whether the search has ended before a fault. */
  isOver = false;
  /** Everything before it is valid. */
  private at = 0;

  constructor(private readonly json: string) {}

  find(): number {
    if (this.value()) this.take(spaces);
    return this.at;
  }

  private value(): boolean {
    this.isOver ||= this.at > maxSearched;
    if (this.isOver) return false;
    this.take(spaces);
    if (this.take(text) || this.take(otherScalar)) return true;
    if (this.takeCharacter('{')) return this.items('}', () => this.member());
    return this.takeCharacter('[') && this.items(']', () => this.value());
  }

  private member(): boolean {
    this.take(spaces);
    return this.take(text) && this.takeCharacter(':') && this.value();
  }

  private items(end: string, item: () => boolean): boolean {
    if (this.takeCharacter(end)) return true;
    while (item()) {
      if (this.takeCharacter(end)) return true;
      if (!this.takeCharacter(',')) return false;
    }
    return false;
  }

  private takeCharacter(character: string): boolean {
    this.take(spaces);
    if (this.json[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  take(token: RegExp): boolean {
    token.lastIndex = this.at;
    const found = token.test(this.json);
    if (found) this.at = token.lastIndex;
    return found;
  }
}

import {
  type OpenedSmartlist,
  type OpenSmartlistRequest,
  type ReadSmartlistRequest,
  type SmartlistRow,
  type SmartlistRows,
} from '@gangan/contracts';
import { newId } from '@gangan/protocol';

/** A number, if any, and cells by name. */
export interface Contact {
  readonly phone?: string;
  readonly cells?: Readonly<Record<string, string>>;
}

/** Replaces the contacts worker: one smartlist, whose rows a test can change while it is read. */
export class ScriptedSmartlist {
  rows: SmartlistRow[] = [];
  readings = 0;
  /** Called before a page is read: to fail, or to change something meanwhile. */
  meanwhile: () => void | Promise<void> = () => undefined;

  fill(contacts: readonly Contact[]): void {
    this.rows = contacts
      .map(({ phone, cells = {} }) => ({ id: newId(), ...(phone !== undefined && { phone }), cells }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  open({ names }: OpenSmartlistRequest): Promise<OpenedSmartlist> {
    const known = new Set(this.rows.flatMap(({ cells }) => Object.keys(cells)));
    return Promise.resolve({
      list: 'the list',
      rows: this.rows.length,
      columns: names.filter((name) => known.has(name)).map((name) => this.column(name)),
      unknown: names.filter((name) => !known.has(name)),
    });
  }

  async read({ after = '', limit }: ReadSmartlistRequest): Promise<SmartlistRows> {
    this.readings += 1;
    await this.meanwhile();
    const rows = this.rows.filter(({ id }) => id > after).slice(0, limit);
    return { rows, more: rows.length === limit };
  }

  private column(name: string): OpenedSmartlist['columns'][number] {
    const cells = this.rows.map((row) => row.cells[name] ?? '');
    return {
      name,
      longest: Math.max(...cells.map((cell) => Array.from(cell).length)),
      alphabet: cells.every((cell) => /^[ -Z_a-z]*$/.test(cell)) ? 'single' : 'astral',
      links: Math.max(...cells.map((cell) => cell.split('http').length - 1)),
    };
  }
}

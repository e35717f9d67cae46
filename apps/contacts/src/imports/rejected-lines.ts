import { type ContactImportProblem, escapeFormula } from '@gangan/contracts';
import { formatLine, toChunks } from '../transfers/csv.js';
import type { Line } from './csv-lines.js';

/** A line that was not imported, and why. */
export interface RejectedLine {
  readonly line: Line;
  readonly problem: ContactImportProblem;
}

/** The header is not stored: the file of an import consists of this line and the stored parts. */
export const rejectedHeader = formatLine(['line', 'reason', 'text']);

/** Lines of the file of rejected lines, in chunks. */
export const formatRejected = (rejected: readonly RejectedLine[]): string[] =>
  toChunks(
    rejected.map(({ line, problem }) =>
      formatLine([String(line.number), escapeFormula(problem.message), escapeFormula(line.raw.toString())]),
    ),
  );

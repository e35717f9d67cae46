import type { Statement, t } from '@gangan/database';

/**
 * Whether a sweep may find a row. It is asked once a second, so an index must answer it:
 * ```ts
 * const isAnyDue = statement({ isDue: t.bool }, () => sql`SELECT EXISTS (SELECT FROM … ) AS "isDue"`);
 * ```
 */
export type DueCondition = Statement<[], { readonly isDue: typeof t.bool }>;

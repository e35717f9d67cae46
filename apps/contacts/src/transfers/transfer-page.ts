import { type PageMeta, type ListContactTransfersRequest, defaultTransferPageSize } from '@gangan/contracts';

/** A page of imports or exports. One more is read than it holds, which tells whether another page follows. */
export async function transferPage<R extends { readonly id: string }>(
  { limit = defaultTransferPageSize, before }: ListContactTransfersRequest,
  resource: string,
  read: (before: string | undefined, most: number) => Promise<R[]>,
): Promise<{ rows: R[]; meta: PageMeta }> {
  const found = await read(before, limit + 1);
  const rows = found.slice(0, limit);
  const next = found.length > limit ? rows.at(-1)?.id : undefined;
  const pagination = { limit, ...(next !== undefined && { next }) };
  return { rows, meta: { method: 'GET', resource, pagination } };
}

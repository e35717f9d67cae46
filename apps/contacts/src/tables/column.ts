import { type ContactColumn, type ContactColumnType, hasOptions } from '@gangan/contracts';

export interface Column {
  readonly id: string;
  readonly name: string;
  readonly type: ContactColumnType;
  readonly options: readonly string[];
}

export const columnAnswer = ({ id, name, type, options }: Column): ContactColumn => ({
  id,
  name,
  type,
  ...(hasOptions(type) && { options: [...options] }),
});

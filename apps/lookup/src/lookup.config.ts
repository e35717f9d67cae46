import { configOf } from '@gangan/runtime';

/** The variables that only this app reads. */
export class LookupConfig extends configOf({}) {}

import { AppError } from '@gangan/protocol';

const statusOf = { invalid: 422, forbidden: 403, not_found: 404, conflict: 409, unavailable: 503 } as const;

/** What an operator can do instead. Each caller says it in its own way, such as with a command or a link. */
export type NextStep =
  | 'list_organisations'
  | 'suspend_organisation'
  | 'list_keys'
  | 'name_scopes'
  | 'issue_key'
  | 'rotate_successor'
  | 'list_approvals'
  | 'list_numbers'
  | 'unassign_number'
  | 'list_providers'
  | 'show_provider'
  | 'set_provider'
  | 'replace_secrets'
  | 'rotate_token'
  | 'name_sender'
  | 'end_purchases'
  | 'try_again'
  | 'list_registrations'
  | 'list_parked'
  | 'list_inbound'
  | 'decide_sender'
  | 'set_account'
  | 'list_unresolved'
  | 'enable_provider'
  | 'name_file'
  | 'end_earlier'
  | 'list_imports'
  | 'force_import';

export interface RefusalOptions {
  readonly next?: NextStep;
  /** What the next step is about, such as the name of a provider. */
  readonly subject?: string;
  readonly cause?: unknown;
}

/** Why something was not done. The message is a sentence; if there is a next step, it has no full stop. */
export class Refusal extends AppError {
  readonly next: NextStep | undefined;
  readonly subject: string;

  constructor(
    code: keyof typeof statusOf,
    message: string,
    { next, subject = '', cause }: RefusalOptions = {},
  ) {
    super(code, statusOf[code], message, { cause });
    this.next = next;
    this.subject = subject;
  }
}

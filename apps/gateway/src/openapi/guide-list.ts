export interface Guide {
  /** Of the file, and the last part of the URL. */
  readonly name: string;
  /** The folder of the file in `docs`, if it is not `use`. */
  readonly folder?: string;
  readonly title: string;
  /** The sections of the API reference that link to it. */
  readonly tags?: readonly string[];
  /** Rows of its tables have their first cell as the id, so that links can lead to them. */
  readonly hasRowIds?: boolean;
  /** Sections for people who run or change Gangan. */
  readonly omitted?: readonly string[];
}

/** The pages of `docs` for API users. */
export const guides: readonly Guide[] = [
  {
    name: 'http',
    title: 'HTTP',
    omitted: ['The pipeline', 'How it works', 'For developers', 'For operators'],
  },
  { name: 'errors', title: 'Errors', hasRowIds: true },
  { name: 'sms', title: 'Messages', tags: ['Messages'], omitted: ['How it works'] },
  {
    name: 'delivery',
    folder: 'inside',
    title: 'Delivery',
    omitted: [
      ...[
        'The state machine',
        'Claim, submit, record',
        'Suspended organisations',
        'Reports',
        'Fairness',
        'Providers',
        'Metrics',
      ],
    ],
  },
  { name: 'otp', title: 'One-time passwords', tags: ['OTP'], omitted: ['For operators', 'How it works'] },
  {
    name: 'airtime',
    title: 'Airtime',
    tags: ['Airtime'],
    omitted: ['Resolve an unknown outcome', 'Reconcile a statement', 'Providers', 'How products are read'],
  },
  {
    name: 'lookup',
    title: 'Phone lookup',
    tags: ['Lookup'],
    omitted: ['Registries', 'Live providers', 'For operators'],
  },
  {
    name: 'contacts',
    title: 'Contacts',
    tags: ['Contacts'],
    omitted: ['For operators', 'How files are transferred', 'How rows are found'],
  },
  { name: 'templates', title: 'Templates', tags: ['Templates'] },
  { name: 'inbox', title: 'Inbox', tags: ['Inbox'], omitted: ['For operators'] },
  { name: 'opt-outs', title: 'Opt-outs', tags: ['Opt-outs'], omitted: ['For operators'] },
  { name: 'links', title: 'Tracked links', tags: ['Links'], omitted: ['How it works'] },
  {
    name: 'callbacks',
    title: 'Callbacks',
    tags: ['Callbacks', 'Events'],
    omitted: ['For operators', 'How callbacks are delivered'],
  },
  {
    name: 'money',
    folder: 'operate',
    title: 'Money',
    tags: ['Billing'],
    omitted: [
      ...['For operators', 'Approval by a second person', 'Ledger functions', 'What the database enforces'],
      ...['Set prices', 'Check the ledger', 'Repair the ledger', 'Why one statement, and a function'],
    ],
  },
  { name: 'simulator', title: 'Simulator', tags: ['Simulator'] },
];

/** Below `docs`. */
export const fileOf = ({ name, folder = 'use' }: Guide): string => `${folder}/${name}.md`;

export const guidesPath = 'docs/guides';

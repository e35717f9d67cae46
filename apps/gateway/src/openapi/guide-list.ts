export interface Guide {
  /** The name of the file in `docs/use`, and the last part of the URL. */
  readonly name: string;
  readonly title: string;
  /** The sections of the API reference that link to it. */
  readonly tags?: readonly string[];
  /** Rows of its tables have their first cell as the id, so that links can lead to them. */
  readonly hasRowIds?: boolean;
}

interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

/** The pages of `docs/use`, as the navigation shows them. */
export const guideGroups: readonly GuideGroup[] = [
  {
    title: 'Start',
    guides: [
      { name: 'first-ten-minutes', title: 'The first ten minutes' },
      { name: 'simulator', title: 'Simulator', tags: ['Simulator'] },
      { name: 'http', title: 'HTTP' },
      { name: 'errors', title: 'Errors', hasRowIds: true },
      { name: 'versioning', title: 'Versions of the API' },
    ],
  },
  {
    title: 'Messages',
    guides: [
      { name: 'sms', title: 'Messages', tags: ['Messages'] },
      { name: 'delivery', title: 'Delivery' },
      { name: 'templates', title: 'Templates', tags: ['Templates'] },
      { name: 'inbox', title: 'Inbox', tags: ['Inbox'] },
      { name: 'opt-outs', title: 'Opt-outs', tags: ['Opt-outs'] },
      { name: 'links', title: 'Tracked links', tags: ['Links'] },
    ],
  },
  {
    title: 'Other services',
    guides: [
      { name: 'otp', title: 'One-time passwords', tags: ['OTP'] },
      { name: 'airtime', title: 'Airtime', tags: ['Airtime'] },
      { name: 'lookup', title: 'Phone lookup', tags: ['Lookup'] },
      { name: 'contacts', title: 'Contacts', tags: ['Contacts'] },
    ],
  },
  {
    title: 'Your account',
    guides: [
      { name: 'callbacks', title: 'Callbacks', tags: ['Callbacks', 'Events'] },
      { name: 'money', title: 'Money', tags: ['Billing'] },
    ],
  },
];

export const guides: readonly Guide[] = guideGroups.flatMap((group) => group.guides);

export const guidesPath = 'docs/guides';

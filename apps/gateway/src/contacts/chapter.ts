import { DescribedIn } from '../openapi/answers.js';

export const DescribedInContacts = (): ClassDecorator =>
  DescribedIn(
    'Contacts',
    'The organisation’s table of contacts: its columns, its rows, and queries over them',
  );

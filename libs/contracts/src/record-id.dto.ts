export class RecordId {
  id: string;
}

/** An event about one row, which has all further data. */
export class RecordEvent {
  id: string;
}

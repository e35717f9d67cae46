export { type ContactColumnType, contactColumnTypes, hasOptions } from './column-types.js';
export {
  AddContactColumnRequest,
  ChangeContactColumnFields,
  ChangeContactColumnRequest,
  ContactColumnId,
} from './contact-column.dto.js';
export { ContactFilter } from './contact-filter.dto.js';
export {
  ContactCellsRequest,
  ContactRow,
  ContactRowAnswer,
  ContactRowId,
  PatchContactRowRequest,
} from './contact-row.dto.js';
export { ContactColumn, ContactTable } from './contact-table.dto.js';
export {
  addContactColumn,
  changeContactColumn,
  changeSmartlist,
  createContactRow,
  createSmartlist,
  findContactRow,
  findSmartlist,
  listSmartlists,
  patchContactRow,
  queryContactRows,
  readContactTable,
  removeContactColumn,
  removeContactRow,
  removeSmartlist,
} from './contact.contract.js';
export {
  contactExportDue,
  exportContacts,
  findContactExport,
  listContactExports,
  readContactExportPart,
  removeContactExport,
} from './export-contacts.contract.js';
export {
  ContactExport,
  ContactExportId,
  ContactExportPage,
  ContactExportPart,
  ContactExportPartId,
  type ContactExportState,
} from './export-contacts.dto.js';
export { type ContactOperator, contactOperators } from './filter-operators.js';
export { filterValues } from './filter-values.js';
export {
  contactImportDue,
  contactUploadAbandoned,
  findContactImport,
  importContactsPart,
  listContactImports,
} from './import-contacts.contract.js';
export {
  ContactImport,
  ContactImportId,
  ContactImportPage,
  ContactImportProblem,
  type ContactImportState,
  type CsvDelimiter,
  ImportContactsPart,
  ImportContactsOptions,
  maxImportProblems,
} from './import-contacts.dto.js';
export {
  ContactPageMeta,
  ContactPageQuery,
  ContactPagination,
  ContactRowsPage,
  ContactRowsQuery,
  maxContactCount,
  QueryContactRowsRequest,
  defaultContactPageSize,
} from './query-rows.dto.js';
export { openSmartlist, readSmartlist } from './read-smartlist.contract.js';
export {
  type CellAlphabet,
  cellAlphabets,
  maxSmartlistCellLength,
  maxSmartlistPageSize,
  OpenedSmartlist,
  OpenSmartlistRequest,
  ReadSmartlistRequest,
  SmartlistColumn,
  SmartlistRow,
  SmartlistRows,
} from './read-smartlist.dto.js';
export {
  ChangeSmartlistFields,
  ChangeSmartlistRequest,
  CreateSmartlistRequest,
  Smartlist,
  SmartlistId,
} from './smartlist.dto.js';
export { ContactTransferDue } from './transfer-due.dto.js';
export { ListContactTransfersRequest, defaultTransferPageSize } from './transfer-list.dto.js';

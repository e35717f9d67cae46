import { PageQuery } from '../pagination.dto.js';
import { queueContracts } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { ChangeTemplateRequest, CreateTemplateRequest, Template, TemplatePage } from './template.dto.js';

const { request } = queueContracts('messaging');
const quick = { deadlineMs: 5_000 };

export const createTemplate = request('template.create', CreateTemplateRequest, Template, quick);
export const findTemplate = request('template.find', RecordId, Template, quick);
export const listTemplates = request('template.list', PageQuery, TemplatePage, { deadlineMs: 10_000 });
export const changeTemplate = request('template.change', ChangeTemplateRequest, Template, quick);
export const removeTemplate = request('template.remove', RecordId, Template, quick);

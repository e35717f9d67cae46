import { PageQuery } from '../pagination.dto.js';
import { queueContracts } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { ChangeTemplateRequest, CreateTemplateRequest, Template, TemplatePage } from './template.dto.js';

const { request } = queueContracts('messaging');

export const createTemplate = request('template.create', 5_000, CreateTemplateRequest, Template);
export const findTemplate = request('template.find', 5_000, RecordId, Template);
export const listTemplates = request('template.list', 10_000, PageQuery, TemplatePage);
export const changeTemplate = request('template.change', 5_000, ChangeTemplateRequest, Template);
export const removeTemplate = request('template.remove', 5_000, RecordId, Template);

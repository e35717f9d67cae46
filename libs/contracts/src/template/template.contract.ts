import { PageQuery } from '../pagination.dto.js';
import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { ChangeTemplateRequest, CreateTemplateRequest, Template, TemplatePage } from './template.dto.js';

const { request } = queueContracts('messaging', 'messaging');

export const createTemplate = request('template.create', CreateTemplateRequest, Template, shortDeadline);
export const findTemplate = request('template.find', RecordId, Template, shortDeadline);
export const listTemplates = request('template.list', PageQuery, TemplatePage);
export const changeTemplate = request('template.change', ChangeTemplateRequest, Template, shortDeadline);
export const removeTemplate = request('template.remove', RecordId, Template, shortDeadline);

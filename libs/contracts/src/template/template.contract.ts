import { defineRequest } from '@gangan/protocol';
import { PageQuery } from '../pagination.dto.js';
import {
  ChangeTemplateRequest,
  CreateTemplateRequest,
  FindTemplateRequest,
  Template,
  TemplatePage,
} from './template.dto.js';

const queue = 'messaging';
const deadlineMs = 5_000;

export const createTemplate = defineRequest({
  queue,
  name: 'template.create',
  deadlineMs,
  request: CreateTemplateRequest,
  reply: Template,
});

export const findTemplate = defineRequest({
  queue,
  name: 'template.find',
  deadlineMs,
  request: FindTemplateRequest,
  reply: Template,
});

export const listTemplates = defineRequest({
  queue,
  name: 'template.list',
  deadlineMs: 10_000,
  request: PageQuery,
  reply: TemplatePage,
});

export const changeTemplate = defineRequest({
  queue,
  name: 'template.change',
  deadlineMs,
  request: ChangeTemplateRequest,
  reply: Template,
});

export const removeTemplate = defineRequest({
  queue,
  name: 'template.remove',
  deadlineMs,
  request: FindTemplateRequest,
  reply: Template,
});

import { Module } from '@nestjs/common';
import { TemplateHandler } from './templates.handler.js';
import { TemplateRepository } from './templates.repository.js';
import { TemplateService } from './templates.service.js';

@Module({
  controllers: [TemplateHandler],
  providers: [TemplateService, TemplateRepository],
  exports: [TemplateRepository],
})
export class TemplatesModule {}

import { Module } from '@nestjs/common';
import { TemplateHandler } from './template.handler.js';
import { TemplateRepository } from './template.repository.js';
import { TemplateService } from './template.service.js';

@Module({
  controllers: [TemplateHandler],
  providers: [TemplateService, TemplateRepository],
  exports: [TemplateRepository],
})
export class TemplatesModule {}

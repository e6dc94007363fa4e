package openapitest_test

// small is a document with one of everything that the services' documents have.
const small = `
openapi: 3.1.0
info: {title: Small, version: 0.1.0}
paths:
  /things:
    post:
      operationId: addThing
      security: [{bearer: []}, {key: []}]
      parameters:
        - {name: X-Mode, in: header, schema: {type: string, const: fast}}
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: '#/components/schemas/Thing'}}
          application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/Thing'}}
      responses:
        '201':
          description: Added.
          headers:
            X-Request-Id: {required: true, schema: {type: string, pattern: '^[a-z]+$'}}
          content:
            application/json: {schema: {$ref: '#/components/schemas/Added'}}
        '400': {$ref: '#/components/responses/Bad'}
  /things/{id}:
    get:
      operationId: getThing
      security: [{session: []}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string, pattern: '^[0-9]+$'}}
        - {name: q, in: query, required: true, schema: {type: string, minLength: 2}}
      responses:
        '200':
          description: Plain, without references and 2020 keywords.
          content:
            application/json:
              schema:
                type: object
                additionalProperties: false
                required: [name, at, home]
                properties:
                  name: {type: [string, 'null']}
                  at: {type: string, format: date-time}
                  home: {type: string, format: uri}
        '303':
          description: See there.
          headers:
            Location: {required: true, schema: {type: string}}
        '304':
          description: The same.
          headers:
            ETag: {required: true, schema: {type: string}}
  /pages/{path}:
    get:
      operationId: getPage
      parameters:
        - {name: path, in: path, required: true, x-multi-segment: true, schema: {type: string}}
      responses:
        '200':
          description: A page.
          content:
            text/html: {schema: {type: string}}
            image/svg+xml: {}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
    key: {type: apiKey, in: header, name: X-Key}
    session: {type: apiKey, in: cookie, name: sid}
  responses:
    Bad:
      description: Bad.
      content:
        application/json: {schema: {$ref: '#/components/schemas/Error'}}
  schemas:
    Id: {type: string, minLength: 3}
    Thing:
      type: object
      required: [name]
      properties:
        name: {type: string, minLength: 1}
        size: {type: integer}
        parts: {type: array, maxItems: 2, x-judged-alone: true, items: {type: string}}
    Added:
      type: object
      description: References, but no 2020 keywords.
      additionalProperties: false
      required: [id, size, limit]
      properties:
        id: {$ref: '#/components/schemas/Id'}
        size: {type: integer, minimum: 0}
        limit: {type: [integer, 'null']}
        seen: {type: string, format: date-time}
    Error:
      type: object
      description: References and 2020 keywords.
      additionalProperties: false
      required: [success, code]
      properties:
        success: {type: boolean, const: false}
        code: {type: string, enum: [bad, worse, not_found]}
        id: {$ref: '#/components/schemas/Id'}
      allOf:
        - if: {properties: {code: {const: worse}}}
          then: {required: [id]}
`

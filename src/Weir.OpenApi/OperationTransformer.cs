using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.OpenApi;
using Weir.AspNetCore.Description;
using Weir.AspNetCore.Http;

namespace Weir.OpenApi;

/// <summary>Adds to an operation of a document what API descriptions cannot express.</summary>
internal sealed class OperationTransformer(SchemaTransformer schemas) : IOpenApiOperationTransformer
{
    private const string StreamExtension = "x-weir-stream";
    private const string ResumableExtension = "x-weir-resumable";

    private static readonly JsonNamingPolicy Naming = JsonNamingPolicy.CamelCase;

    public Task TransformAsync(OpenApiOperation operation, OpenApiOperationTransformerContext context, CancellationToken cancellationToken)
    {
        if (context.Description.Properties.TryGetValue(typeof(HttpOperation), out var found) && found is HttpOperation described)
        {
            Parameters(operation, described);
            Body(operation, described);
            Result(operation, described);
            if (described.BecomesJob && context.Document is { } document)
            {
                JobResponse.AddTo(operation, document, described.Operation.Job!.Respond == JobRespond.Always);
            }
        }

        return Task.CompletedTask;
    }

    private void Parameters(OpenApiOperation operation, HttpOperation described)
    {
        foreach (var parameter in (operation.Parameters ?? []).OfType<OpenApiParameter>())
        {
            if (described.Parameters.FirstOrDefault(one => one.Name == parameter.Name) is { } from)
            {
                parameter.Description ??= from.Summary;
                SetDefault(parameter.Schema, from.Default);
            }
        }
    }

    private void Body(OpenApiOperation operation, HttpOperation described)
    {
        if (described.Body is not { } body || operation.RequestBody is not OpenApiRequestBody { Content: { } content } request)
        {
            return;
        }

        request.Required = body.IsRequired;
        if (body.Kind == HttpBodyKind.Members)
        {
            var members = Members(content.Values.First().Schema, body, $"{described.Operation.Service.Name}{described.Operation.Name}Arguments");
            foreach (var mediaType in body.MediaTypes)
            {
                content[mediaType] = new OpenApiMediaType { Schema = members };
            }

            return;
        }

        request.Description ??= body.Parameters[0].Summary;
        if (body.Kind == HttpBodyKind.Items)
        {
            AddItems(content, body.MediaTypes, isNullable: body.Parameters[0].TypeName.EndsWith("?>", StringComparison.Ordinal));
        }
    }

    // A form of several values comes as one schema for each of them.
    private OpenApiSchema Members(IOpenApiSchema? form, HttpBody body, string title)
    {
        var members = new OpenApiSchema { Type = JsonSchemaType.Object, Title = title, Properties = new Dictionary<string, IOpenApiSchema>(), Required = new HashSet<string>() };
        foreach (var part in new[] { form }.Concat(form?.AllOf ?? []))
        {
            foreach (var (name, schema) in part?.Properties ?? new Dictionary<string, IOpenApiSchema>())
            {
                members.Properties[name] = schema;
            }
        }

        foreach (var parameter in body.Parameters)
        {
            if (parameter.IsRequired)
            {
                members.Required.Add(parameter.Name);
            }

            if (members.Properties.TryGetValue(parameter.Name, out var schema))
            {
                SetDefault(schema, parameter.Default);
                if (parameter.Summary is { } summary && schema is OpenApiSchema or OpenApiSchemaReference)
                {
                    schema.Description = summary;
                }
            }
        }

        return members;
    }

    private static void Result(OpenApiOperation operation, HttpOperation described)
    {
        var result = described.Responses[0];
        if (operation.Responses?.GetValueOrDefault(result.Status.ToString(System.Globalization.CultureInfo.InvariantCulture)) is not OpenApiResponse { Content: { Count: > 0 } content })
        {
            return;
        }

        if (described.Operation.ResultKind == ResultKind.Stream)
        {
            AddItems(content, result.MediaTypes, isNullable: described.Description.ResultName?.EndsWith('?') == true);
            if (described.Operation.Resumption != Resumption.None)
            {
                (operation.Extensions ??= new Dictionary<string, IOpenApiExtension>())[ResumableExtension] = new JsonNodeExtension(JsonValue.Create(Naming.ConvertName(described.Operation.Resumption.ToString())));
            }

            return;
        }

        if (!described.Operation.IsResultNullable || described.Operation.ResultKind == ResultKind.Raw)
        {
            return;
        }

        // Null is JSON, whatever was asked for.
        if (described.Operation.ResultKind == ResultKind.Bytes)
        {
            content[MediaTypes.Json] = new OpenApiMediaType { Schema = Null() };
        }
        else if (content.TryGetValue(MediaTypes.Json, out var json) && json is { Schema: { } schema })
        {
            json.Schema = Nullable(schema);
        }
    }

    // OpenAPI 3.1 has no schema for the items of a stream (3.2 has 'itemSchema'): the media type's schema is that of one item.
    private static void AddItems(IDictionary<string, OpenApiMediaType> content, IReadOnlyList<string> mediaTypes, bool isNullable)
    {
        var item = content[mediaTypes[0]].Schema?.Items;
        if (isNullable && item is not null)
        {
            item = Nullable(item);
            content[mediaTypes[0]].Schema = new OpenApiSchema { Type = JsonSchemaType.Array, Items = item };
        }

        foreach (var mediaType in mediaTypes.Skip(1))
        {
            content[mediaType] = new OpenApiMediaType
            {
                Schema = item,
                Extensions = new Dictionary<string, IOpenApiExtension> { [StreamExtension] = new JsonNodeExtension(JsonValue.Create(true)) },
            };
        }
    }

    private static IOpenApiSchema Nullable(IOpenApiSchema schema) =>
        schema.Type?.HasFlag(JsonSchemaType.Null) == true ? schema : new OpenApiSchema { OneOf = [Null(), schema] };

    private static OpenApiSchema Null() => new() { Type = JsonSchemaType.Null };

    private void SetDefault(IOpenApiSchema? schema, object? value)
    {
        if (schemas.Default(value) is not { } node)
        {
            return;
        }

        switch (schema)
        {
            case OpenApiSchema own:
                own.Default = node;
                break;
            case OpenApiSchemaReference reference:
                reference.Default = node;
                break;
        }
    }
}

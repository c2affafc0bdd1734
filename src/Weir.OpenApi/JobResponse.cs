using System.Globalization;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;
using Microsoft.OpenApi;
using Weir.AspNetCore.Http;

namespace Weir.OpenApi;

/// <summary>Describes what a request that becomes a job sends and gets: two headers, and 202 with the job.</summary>
internal static class JobResponse
{
    private const string Component = "WeirJob";

    /// <summary>Adds it to an operation.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="document">Gets the schema of a job.</param>
    /// <param name="isAlways">Whether every request becomes a job.</param>
    public static void AddTo(OpenApiOperation operation, OpenApiDocument document, bool isAlways)
    {
        operation.Parameters ??= [];
        operation.Parameters.Add(Header("Prefer", isAlways ? "wait=N: seconds to wait for the result, at most 60." : "respond-async: the call becomes a job. With wait=N beside it, the answer is the result if it is there within N seconds, at most 60."));
        operation.Parameters.Add(Header("Idempotency-Key", "1 to 200 visible characters. A request with the same key and arguments gets the job of the first one."));
        if (operation.Responses?.GetValueOrDefault(StatusCodes.Status202Accepted.ToString(CultureInfo.InvariantCulture)) is not OpenApiResponse response)
        {
            return;
        }

        if (document.Components?.Schemas?.ContainsKey(Component) != true)
        {
            document.AddComponent<IOpenApiSchema>(Component, Job());
        }

        response.Content = new Dictionary<string, OpenApiMediaType> { [MediaTypes.Json] = new() { Schema = new OpenApiSchemaReference(Component, document) } };
        response.Headers = new Dictionary<string, IOpenApiHeader>
        {
            ["Location"] = new OpenApiHeader { Description = "Where the job is.", Schema = Text(format: "uri-reference") },
            ["Preference-Applied"] = new OpenApiHeader { Description = "respond-async, where the request asked for it.", Schema = Text() },
            ["Idempotent-Replayed"] = new OpenApiHeader { Description = "true where the key has found the job of an earlier request.", Schema = Text() },
        };
    }

    private static OpenApiParameter Header(string name, string description) => new() { Name = name, In = ParameterLocation.Header, Description = description, Schema = Text() };

    private static OpenApiSchema Job()
    {
        var members = new Dictionary<string, IOpenApiSchema>
        {
            ["id"] = Text(format: "uuid"),
            ["kind"] = Text(),
            ["state"] = OneOf<JobState>(isNullable: false),
            ["reason"] = OneOf<JobReason>(isNullable: true, JobReason.None),
            ["stopping"] = OneOf<JobStop>(isNullable: true, JobStop.None),
            ["attempt"] = Number(),
            ["attempts"] = Number(),
            ["submitted"] = Text(format: "date-time"),
            ["due"] = Text(format: "date-time"),
            ["started"] = Text(format: "date-time", isNullable: true),
            ["ended"] = Text(format: "date-time", isNullable: true),
            ["expires"] = Text(format: "date-time", isNullable: true),
            ["progress"] = Object(isNullable: true, new Dictionary<string, IOpenApiSchema>
            {
                ["fraction"] = new OpenApiSchema { Type = JsonSchemaType.Number, Format = "double", Minimum = "0", Maximum = "1" },
                ["text"] = Text(isNullable: true),
            }),
            ["items"] = new OpenApiSchema { Type = JsonSchemaType.Integer, Format = "int64" },
            ["key"] = Text(isNullable: true),
            ["priority"] = OneOf<JobPriority>(isNullable: false),
            ["parent"] = Text(format: "uuid", isNullable: true),
            ["problem"] = new OpenApiSchema { Type = JsonSchemaType.Object | JsonSchemaType.Null, Description = "Problem details (RFC 9457) of a job without a result, as its result answers." },
            ["links"] = Object(isNullable: false, new Dictionary<string, IOpenApiSchema>
            {
                ["self"] = Text(format: "uri-reference"),
                ["result"] = Text(format: "uri-reference"),
                ["items"] = Text(format: "uri-reference", isNullable: true),
                ["cancel"] = Text(format: "uri-reference"),
            }),
        };
        var job = Object(isNullable: false, members);
        job.Description = "A call that was stored and runs later.";
        return job;
    }

    private static OpenApiSchema Object(bool isNullable, Dictionary<string, IOpenApiSchema> members) => new()
    {
        Type = isNullable ? JsonSchemaType.Object | JsonSchemaType.Null : JsonSchemaType.Object,
        Properties = members,
        Required = new HashSet<string>(members.Keys),
    };

    private static OpenApiSchema Number() => new() { Type = JsonSchemaType.Integer, Format = "int32" };

    private static OpenApiSchema Text(string? format = null, bool isNullable = false) => new() { Type = isNullable ? JsonSchemaType.String | JsonSchemaType.Null : JsonSchemaType.String, Format = format };

    private static OpenApiSchema OneOf<T>(bool isNullable, params T[] without)
        where T : struct, Enum
    {
        var schema = Text(isNullable: isNullable);
        schema.Enum = [.. Enum.GetValues<T>().Except(without).Select(static value => (JsonNode)JsonValue.Create(value.ToString().ToLowerInvariant())!)];
        if (isNullable)
        {
            schema.Enum.Add(null!);
        }

        return schema;
    }
}

using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Description;

/// <summary>Describes what is served, from the metadata of the endpoints.</summary>
internal static class HttpOperations
{
    private static readonly (Verbs Verb, string Name)[] Names = [(Verbs.Get, "GET"), (Verbs.Post, "POST"), (Verbs.Put, "PUT"), (Verbs.Delete, "DELETE"), (Verbs.Patch, "PATCH")];

    /// <summary>
    /// One description for each operation, path and declared verb; none for the paths with an extension, for HEAD, and for what
    /// <c>ExcludeFromDescription</c> hides.
    /// </summary>
    /// <param name="mapped">What <c>MapWeir</c> has mapped; its endpoints are built.</param>
    internal static IReadOnlyList<HttpOperation> Of(MappedOperations mapped)
    {
        var paths = new HashSet<ServedRoute>();
        return
        [
            .. mapped.Sources.SelectMany(static source => source.Built ?? source.Endpoints).OfType<RouteEndpoint>()
                .Where(endpoint => endpoint.Metadata.GetMetadata<ServedRoute>() is { } route && paths.Add(route))
                .Where(static endpoint => endpoint.Metadata.GetMetadata<IExcludeFromDescriptionMetadata>() is not { ExcludeFromDescription: true })
                .SelectMany(endpoint => Names.Where(one => endpoint.Metadata.GetRequiredMetadata<ServedRoute>().Verbs.HasFlag(one.Verb)).Select(one => Describe(endpoint, one.Verb, one.Name, mapped.ServesJobs))),
        ];
    }

    private static HttpOperation Describe(RouteEndpoint endpoint, Verbs verb, string name, bool servesJobs)
    {
        var operation = endpoint.Metadata.GetRequiredMetadata<Operation>();
        var described = operation.Parameters
            .Where(one => one.Source != ParameterSource.Route || endpoint.RoutePattern.GetParameter(one.WireName) is not null)
            .Select(one => (one.Source, Described: Describe(endpoint.RoutePattern, operation, one, verb))).ToList();
        var body = Body(operation, [.. described.Where(static one => one.Described.Source == HttpParameterSource.Body)]);
        var taken = described.Select(static one => one.Described).Where(static one => one.Source != HttpParameterSource.Body).ToList();
        var becomesJob = servesJobs && verb != Verbs.Get && operation.Job is { Respond: not JobRespond.Never };
        var untaken = endpoint.RoutePattern.Parameters.Where(route => !taken.Exists(one => string.Equals(one.Name, route.Name, StringComparison.OrdinalIgnoreCase)));
        return new HttpOperation
        {
            Operation = operation,
            Endpoint = endpoint,
            Verb = name,
            Path = Path(endpoint.RoutePattern),
            Parameters = [.. taken, .. untaken.Select(static one => new HttpParameter(one.Name, HttpParameterSource.Path, typeof(string), "string", IsRequired: true))],
            Body = body,
            BecomesJob = becomesJob,
            Responses = ExpectedResponses.Of(operation, endpoint, becomesJob),
        };
    }

    private static HttpParameter Describe(RoutePattern pattern, Operation operation, Parameter parameter, Verbs verb)
    {
        // A client sends what the path shows: it replaces the name in the template.
        var routed = pattern.Parameters.FirstOrDefault(one => string.Equals(one.Name, parameter.WireName, StringComparison.OrdinalIgnoreCase));
        var source = SourceOf(operation, parameter, verb, isInPath: routed is not null);
        var type = parameter.Source is ParameterSource.Raw or ParameterSource.Stream ? typeof(Stream)
            : parameter.IsParsed ? (parameter.IsList ? typeof(string[]) : typeof(string))
            : parameter.Type?.Invoke() ?? typeof(string);
        return new HttpParameter(routed?.Name ?? parameter.WireName, source, type, parameter.TypeName, IsRequired(parameter, source))
        {
            Default = parameter.DefaultValue,
            Summary = operation.Description?.Parameters.GetValueOrDefault(parameter.Name),
        };
    }

    // A list that the query or a form does not have is empty, also a list of files; JSON must have it, unless it may be null.
    private static bool IsRequired(Parameter parameter, HttpParameterSource source) =>
        source == HttpParameterSource.Path || (!parameter.IsOptional && !IsFileList(parameter))
        || (source == HttpParameterSource.Body && parameter is { IsList: true, Source: ParameterSource.Value } && !parameter.TypeName.EndsWith('?'));

    private static bool IsFileList(Parameter parameter) => parameter.Source == ParameterSource.File && parameter.Type?.Invoke() != typeof(IFormFile);

    // The values without a source of their own are in the body where it can have them, although the query may have them too.
    private static HttpParameterSource SourceOf(Operation operation, Parameter parameter, Verbs verb, bool isInPath) => parameter.Source switch
    {
        ParameterSource.Route => HttpParameterSource.Path,
        ParameterSource.Query => HttpParameterSource.Query,
        ParameterSource.Header => HttpParameterSource.Header,
        ParameterSource.Value when isInPath => HttpParameterSource.Path,
        ParameterSource.Value => HasMembers(operation, verb) ? HttpParameterSource.Body : HttpParameterSource.Query,
        _ => HttpParameterSource.Body,
    };

    // DELETE has a body only where nothing else can hold the values.
    private static bool HasMembers(Operation operation, Verbs verb) =>
        verb != Verbs.Get && !(verb == Verbs.Delete && operation.HasPlainArguments) && !operation.Parameters.Any(static one => one.Source is ParameterSource.Body or ParameterSource.Raw or ParameterSource.Items or ParameterSource.Stream);

    private static HttpBody? Body(Operation operation, List<(ParameterSource Source, HttpParameter Described)> parts)
    {
        if (parts.Count == 0)
        {
            return null;
        }

        IReadOnlyList<HttpParameter> parameters = [.. parts.Select(static one => one.Described)];
        return parts[0].Source switch
        {
            ParameterSource.Body => new HttpBody(HttpBodyKind.Value, parameters, [MediaTypes.Json]),
            ParameterSource.Raw or ParameterSource.Stream => new HttpBody(HttpBodyKind.Bytes, parameters, [MediaTypes.OctetStream]),
            ParameterSource.Items => new HttpBody(HttpBodyKind.Items, parameters, [MediaTypes.Json, MediaTypes.Ndjson]),
            _ when parts.Exists(static one => one.Source == ParameterSource.File) => new HttpBody(HttpBodyKind.Members, parameters, [MediaTypes.Multipart])
            {
                NeedsForm = operation.Parameters.Any(static one => one is { Source: ParameterSource.File, IsOptional: false }),
            },
            _ when parts.Exists(static one => one.Source == ParameterSource.Form) => new HttpBody(HttpBodyKind.Members, parameters, [MediaTypes.Form]),
            _ => new HttpBody(HttpBodyKind.Members, parameters, operation.HasPlainArguments ? [MediaTypes.Json, MediaTypes.Form] : [MediaTypes.Json]),
        };
    }

    private static string Path(RoutePattern pattern) => "/" + string.Join('/', pattern.PathSegments.Select(static segment => string.Concat(segment.Parts.Select(static part => part switch
    {
        RoutePatternLiteralPart literal => literal.Content,
        RoutePatternSeparatorPart separator => separator.Content,
        RoutePatternParameterPart parameter => $"{{{parameter.Name}}}",
        _ => "",
    }))));
}

using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Description;

/// <summary>The responses of an operation that a client must expect: its result, and the problems that it can have.</summary>
internal static class ExpectedResponses
{
    internal static IReadOnlyList<ExpectedResponse> Of(Operation operation, RouteEndpoint endpoint, bool becomesJob)
    {
        var responses = new List<ExpectedResponse> { Result(operation) };
        if (becomesJob)
        {
            // Its schema is not that of a type of the application.
            responses.Add(new ExpectedResponse(StatusCodes.Status202Accepted, null, []) { Summary = "The job, which runs later: its links lead to its result." });
            if (operation.Job!.Respond == JobRespond.Always)
            {
                responses.RemoveAt(0);
            }
        }

        if (operation is { ResultKind: ResultKind.Raw, IsResultNullable: true })
        {
            responses.Add(new ExpectedResponse(StatusCodes.Status204NoContent, null, []));
        }

        var isKnown = operation.ResultKind != ResultKind.Http;

        // What an attribute declares replaces what is known without it.
        foreach (var declared in endpoint.Metadata.OfType<IProducesResponseTypeMetadata>())
        {
            var isProblem = declared.StatusCode >= 400;
            var type = declared.Type == typeof(void) ? null : declared.Type ?? (isProblem ? typeof(ProblemDetails) : null);
            string[] mediaTypes = [.. declared.ContentTypes];
            isKnown |= declared.StatusCode == StatusCodes.Status200OK;
            Set(responses, new ExpectedResponse(declared.StatusCode, type, type is null ? [] : mediaTypes.Length > 0 ? mediaTypes : [isProblem ? MediaTypes.ProblemJson : MediaTypes.Json]));
        }

        // The type of a result that writes the response may say that its status is another one.
        if (!isKnown && responses.FindIndex(1, static one => one.Status < 400) is > 0 and var success)
        {
            responses[0] = responses[success];
            responses.RemoveAt(success);
        }

        foreach (var thrown in operation.Throws.Where(static one => one.Status != 0).GroupBy(static one => one.Status))
        {
            Add(responses, Problem(thrown.Key) with { Summary = string.Join(", ", thrown.Select(static one => one.TypeName[(one.TypeName.LastIndexOfAny(['.', '+']) + 1)..])) });
        }

        if (operation.Parameters.Count > 0)
        {
            Add(responses, new ExpectedResponse(StatusCodes.Status400BadRequest, typeof(HttpValidationProblemDetails), [MediaTypes.ProblemJson]));
        }

        // The middleware that refuses a caller writes no body.
        if (endpoint.Metadata.Any(ServiceFallback.IsGuard) && endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null)
        {
            Add(responses, new ExpectedResponse(StatusCodes.Status401Unauthorized, null, []));
            Add(responses, new ExpectedResponse(StatusCodes.Status403Forbidden, null, []));
        }

        if (endpoint.RoutePattern.ParameterPolicies.Count > 0)
        {
            Add(responses, Problem(StatusCodes.Status404NotFound));
        }

        Add(responses, Problem(StatusCodes.Status500InternalServerError));
        if (operation.Placement == Placement.Isolated)
        {
            Add(responses, Problem(StatusCodes.Status502BadGateway));
        }

        if (becomesJob)
        {
            Add(responses, Problem(StatusCodes.Status422UnprocessableEntity) with { Summary = "The Idempotency-Key belongs to a job with other arguments." });
            Add(responses, Problem(StatusCodes.Status503ServiceUnavailable));
        }

        if (operation.Placement != Placement.Inline)
        {
            Add(responses, Problem(StatusCodes.Status503ServiceUnavailable));
        }

        return [responses[0], .. responses.Skip(1).OrderBy(static one => one.Status)];
    }

    private static ExpectedResponse Result(Operation operation)
    {
        var summary = operation.Description?.Returns;
        if (operation.ResultKind == ResultKind.None)
        {
            return new ExpectedResponse(StatusCodes.Status204NoContent, null, []) { Summary = summary };
        }

        if (operation.ResultKind == ResultKind.Http)
        {
            // Its type describes it, in the metadata of the endpoint.
            return new ExpectedResponse(StatusCodes.Status200OK, null, []) { Summary = summary };
        }

        if (operation.StreamsBytes || operation.ResultKind == ResultKind.Raw)
        {
            return new ExpectedResponse(StatusCodes.Status200OK, typeof(Stream), [MediaTypes.WithoutParameters(operation.MediaType ?? MediaTypes.OctetStream)]) { Summary = summary };
        }

        // Media types that mean the same have the same extension.
        IReadOnlyList<string> mediaTypes = [.. Formats.Of(operation).Candidates.ToArray().DistinctBy(static format => format.Extension).Select(static format => format.MediaType)];
        return new ExpectedResponse(StatusCodes.Status200OK, operation.ResultKind == ResultKind.Bytes ? typeof(Stream) : operation.Description?.Result ?? typeof(object), mediaTypes) { Summary = summary };
    }

    private static ExpectedResponse Problem(int status) => new(status, typeof(ProblemDetails), [MediaTypes.ProblemJson]);

    private static void Add(List<ExpectedResponse> responses, ExpectedResponse response)
    {
        if (!responses.Exists(one => one.Status == response.Status))
        {
            responses.Add(response);
        }
    }

    private static void Set(List<ExpectedResponse> responses, ExpectedResponse response)
    {
        var index = responses.FindIndex(one => one.Status == response.Status);
        if (index >= 0)
        {
            responses[index] = response;
        }
        else
        {
            responses.Add(response);
        }
    }
}

using System.Diagnostics;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Weir.Runtime;

namespace Weir.AspNetCore.Problems;

/// <summary>A problem together with the request it belongs to, ready to be written.</summary>
internal readonly struct ProblemReport(Problem problem, string instance, string traceId)
{
    private const string TypePrefix = "urn:weir:problem:";

    internal Problem Problem => problem;

    /// <summary>A problem of this request.</summary>
    internal static ProblemReport Of(Problem problem, HttpContext http) =>
        new(problem, (http.Request.PathBase + http.Request.Path).ToUriComponent(), Activity.Current?.Id ?? http.TraceIdentifier);

    /// <summary>Writes the members of the problem's JSON object.</summary>
    internal void WriteMembers(Utf8JsonWriter json)
    {
        json.WriteString("type"u8, TypePrefix + problem.Code);
        json.WriteString("title"u8, problem.Title);
        json.WriteNumber("status"u8, problem.Status);
        json.WriteString("detail"u8, problem.Detail);
        json.WriteString("instance"u8, instance);
        json.WriteString("code"u8, problem.Code);
        json.WriteString("traceId"u8, traceId);
        if (problem.Report is { } report)
        {
            json.WriteString("report"u8, report);
        }

        if (problem.Thrown is { } thrown)
        {
            json.WriteString("thrown"u8, thrown);
        }

        if (problem.Contract is { } contract)
        {
            json.WritePropertyName("contract"u8);
            json.WriteRawValue(contract);
        }

        if (problem.BindingErrors is { } errors)
        {
            WriteBindingErrors(json, errors);
        }

        if (problem.Exception is { } exception)
        {
            json.WriteString("exception"u8, exception);
        }
    }

    /// <summary>The same problem as ASP.NET Core's own services know it.</summary>
    internal ProblemDetails ToDetails()
    {
        var details = problem.BindingErrors is { } errors
            ? new HttpValidationProblemDetails(ByName(errors).ToDictionary(static one => one.Key, static one => one.Select(Describe).ToArray(), StringComparer.Ordinal))
            : new ProblemDetails();
        details.Type = TypePrefix + problem.Code;
        details.Title = problem.Title;
        details.Status = problem.Status;
        details.Detail = problem.Detail;
        details.Instance = instance;
        details.Extensions["code"] = problem.Code;
        details.Extensions["traceId"] = traceId;
        if (problem.Report is { } report)
        {
            details.Extensions["report"] = report;
        }

        if (problem.Thrown is { } thrown)
        {
            details.Extensions["thrown"] = thrown;
        }

        if (problem.Contract is { } contract)
        {
            using var document = JsonDocument.Parse(contract);
            details.Extensions["contract"] = document.RootElement.Clone();
        }

        if (problem.BindingErrors is not null)
        {
            details.Extensions["bindingErrors"] = ToElement(problem.BindingErrors);
        }

        if (problem.Exception is { } exception)
        {
            details.Extensions["exception"] = exception;
        }

        return details;
    }

    // A JSON element is what serializers without reflection know.
    private static JsonElement ToElement(IReadOnlyList<BindingError> errors)
    {
        using var text = new PayloadWriter();
        WriteList(text.BeginJson(), errors);
        text.EndJson();
        using var document = JsonDocument.Parse(text.WrittenMemory);
        return document.RootElement.Clone();
    }

    // By name, as .NET clients know it from ValidationProblemDetails, and beside it in full.
    private static void WriteBindingErrors(Utf8JsonWriter json, IReadOnlyList<BindingError> errors)
    {
        json.WriteStartObject("errors"u8);
        foreach (var argument in ByName(errors))
        {
            json.WriteStartArray(argument.Key);
            foreach (var error in argument)
            {
                json.WriteStringValue(Describe(error));
            }

            json.WriteEndArray();
        }

        json.WriteEndObject();
        json.WritePropertyName("bindingErrors"u8);
        WriteList(json, errors);
    }

    private static IEnumerable<IGrouping<string, BindingError>> ByName(IReadOnlyList<BindingError> errors) => errors.GroupBy(static error => error.Name, StringComparer.Ordinal);

    private static string Describe(BindingError error) => error.Reason == BindingErrorReason.Validation ? error.Expected : $"expected {error.Expected}";

    private static void WriteList(Utf8JsonWriter json, IReadOnlyList<BindingError> errors)
    {
        json.WriteStartArray();
        foreach (var error in errors)
        {
            json.WriteStartObject();
            json.WriteString("name"u8, error.Name);
            json.WriteString("source"u8, error.Source);
            json.WriteString("reason"u8, error.Reason);
            json.WriteString(error.Reason == BindingErrorReason.Validation ? "message"u8 : "expected"u8, error.Expected);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}

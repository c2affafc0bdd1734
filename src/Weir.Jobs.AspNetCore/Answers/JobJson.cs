using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Hosting;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.Payloads;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Answers;

/// <summary>Writes jobs as JSON: every member is always there, <c>null</c> where it does not apply. Used concurrently.</summary>
/// <param name="services">The application.</param>
/// <param name="problems">Says why a job has no result.</param>
internal sealed class JobJson(JobServices services, JobProblems problems)
{
    // Characters of an error: a list has up to 1,000.
    private const int MostError = 500;

    /// <summary>The states of a job, for errors.</summary>
    public static string States { get; } = $"one of {string.Join(", ", Enum.GetValues<JobState>().Select(Word))}";

    /// <summary>Answers with a job.</summary>
    public Task WriteAsync(HttpContext http, int status, JobRecord job) => WriteAsync(http, status, json => Write(json, http, job));

    /// <summary>Answers with JSON.</summary>
    public static async Task WriteAsync(HttpContext http, int status, Action<Utf8JsonWriter> write)
    {
        var body = new ArrayBufferWriter<byte>(1024);
        using (var json = new Utf8JsonWriter(body))
        {
            write(json);
        }

        var response = http.Response;
        response.StatusCode = status;
        response.Headers.CacheControl = "no-store";
        response.ContentType = MediaTypes.Json;
        response.ContentLength = body.WrittenCount;
        if (!HttpMethods.IsHead(http.Request.Method))
        {
            // Not with the token of the request: a middleware may have cancelled it, and the client is to read where its job is.
            await response.BodyWriter.WriteAsync(body.WrittenMemory);
        }
    }

    /// <summary>Answers with an object that has a list.</summary>
    /// <typeparam name="T">What is in the list.</typeparam>
    /// <param name="http">The request.</param>
    /// <param name="name">The list's name.</param>
    /// <param name="items">What is in it.</param>
    /// <param name="write">Writes one.</param>
    public static Task WriteListAsync<T>(HttpContext http, string name, IEnumerable<T> items, Action<Utf8JsonWriter, T> write) => WriteAsync(http, StatusCodes.Status200OK, json =>
    {
        json.WriteStartObject();
        json.WriteStartArray(name);
        foreach (var item in items)
        {
            write(json, item);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    });

    /// <summary>Writes a job.</summary>
    /// <param name="json">Where.</param>
    /// <param name="http">The request.</param>
    /// <param name="record">The job.</param>
    /// <param name="forOperators">Whether it has what went wrong the last time, also while it waits for another attempt: the text of an exception, which its owner does not get.</param>
    public void Write(Utf8JsonWriter json, HttpContext http, JobRecord record, bool forOperators = false)
    {
        var job = services.Jobs.Describe(record);
        var operation = services.Engine.Kinds.Find(record.Kind)?.Operation;
        json.WriteStartObject();
        json.WriteString("id"u8, job.Id);
        json.WriteString("kind"u8, job.Kind);
        json.WriteString("state"u8, Word(job.State));
        Text(json, "reason", job.Reason == JobReason.None ? null : Word(job.Reason));
        Text(json, "stopping", job.Stopping == JobStop.None ? null : Word(job.Stopping));
        json.WriteNumber("attempt"u8, job.Attempt);
        json.WriteNumber("attempts"u8, job.Attempts);
        json.WriteString("submitted"u8, job.Submitted);
        json.WriteString("due"u8, job.Due);
        Time(json, "started", job.Started);
        Time(json, "ended", job.Ended);
        Time(json, "expires", job.Expires);
        if (job.Progress is { } progress)
        {
            json.WriteStartObject("progress"u8);
            json.WriteNumber("fraction"u8, progress.Fraction);
            Text(json, "text", progress.Text);
            json.WriteEndObject();
        }
        else
        {
            json.WriteNull("progress"u8);
        }

        json.WriteNumber("items"u8, job.Items);

        // A submitter by whom jobs take turns is no key of theirs.
        Text(json, "key", record.Key == record.Owner ? null : job.Key);
        json.WriteString("priority"u8, Word(job.Priority));
        Text(json, "parent", job.Parent?.ToString());
        json.WritePropertyName("problem"u8);
        if (record.Status.HasEnded && services.Jobs.FailureOf(record) is { } failure)
        {
            json.WriteStartObject();
            ProblemReport.Of(problems.Of(operation, failure, record.Id), http).WriteMembers(json);
            json.WriteEndObject();
        }
        else
        {
            json.WriteNullValue();
        }

        if (forOperators)
        {
            Text(json, "error", record.Failure.IsEmpty ? null : ErrorOf(JobFailure.Read(record.Failure)));
        }

        var address = services.AddressOf(http, job.Id);
        json.WriteStartObject("links"u8);
        json.WriteString("self"u8, address);
        json.WriteString("result"u8, $"{address}/result");
        Text(json, "items", operation?.ResultKind == ResultKind.Stream ? $"{address}/items" : null);
        json.WriteString("cancel"u8, $"{address}/cancel");
        json.WriteEndObject();
        json.WriteEndObject();
    }

    /// <summary>Writes a text, or <c>null</c>.</summary>
    public static void Text(Utf8JsonWriter json, string name, string? value)
    {
        if (value is null)
        {
            json.WriteNull(name);
        }
        else
        {
            json.WriteString(name, value);
        }
    }

    /// <summary>Writes a time, or <c>null</c>.</summary>
    public static void Time(Utf8JsonWriter json, string name, DateTimeOffset? value)
    {
        if (value is { } time)
        {
            json.WriteString(name, time);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    private static string? ErrorOf(JobFailure failure)
    {
        var text = string.Join(": ", new[] { failure.Type, failure.Message }.Where(static part => part is { Length: > 0 }));
        return text.Length == 0 ? null
            : text.Length <= MostError ? text
            : $"{text[..(char.IsHighSurrogate(text[MostError - 1]) ? MostError - 1 : MostError)]}…";
    }

    /// <summary>The name of a value of an enum, as JSON has it.</summary>
    public static string Word<T>(T value)
        where T : struct, Enum => value.ToString().ToLowerInvariant();

    /// <summary>The state that a text names; <c>null</c> for none.</summary>
    public static JobState? StateOf(string text)
    {
        foreach (var state in Enum.GetValues<JobState>())
        {
            if (Word(state).Equals(text, StringComparison.OrdinalIgnoreCase))
            {
                return state;
            }
        }

        return null;
    }
}

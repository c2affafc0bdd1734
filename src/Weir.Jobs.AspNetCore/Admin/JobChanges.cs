using System.Buffers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Endpoints;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.Payloads;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Shows and replaces the arguments of a job, begins it again, and deletes it. Used concurrently.</summary>
/// <param name="jobs">The parts of the endpoints.</param>
internal sealed class JobChanges(JobsOverHttp jobs)
{
    /// <summary>The arguments, as they are stored.</summary>
    public async Task ArgumentsAsync(HttpContext http)
    {
        if (await jobs.Access.FindForAdminAsync(http) is not { } job)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
            return;
        }

        var arguments = await jobs.Services.Jobs.ArgumentsAsync(job.Id, http.RequestAborted);
        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json => json.WriteRawValue(arguments));
    }

    /// <summary>Gives it others, which are bound and validated as those of a request are.</summary>
    public async Task EditAsync(HttpContext http)
    {
        if (BodyForms.Of(http.Request.ContentType) != BodyForm.Json)
        {
            await ProblemResponse.WriteAsync(http, new Problem(StatusCodes.Status415UnsupportedMediaType, WeirCodes.UnsupportedMediaType, "The arguments of a job are a JSON object: send them with Content-Type: application/json."));
            return;
        }

        if (await jobs.Access.FindForAdminAsync(http) is not { } job)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
            return;
        }

        SeenState.Check(http, job);
        if (await ReadAsync(http) is not { } arguments)
        {
            return;
        }

        try
        {
            await jobs.Services.Jobs.EditAsync(job.Id, arguments, http.RequestAborted);
        }
        catch (ArgumentException invalid)
        {
            // The key that the kind takes from them is too long.
            await ProblemResponse.WriteAsync(http, jobs.Problems.OfAdmin(invalid), invalid);
            return;
        }

        if (await jobs.Services.Jobs.FindAsync(job.Id, http.RequestAborted) is { } edited)
        {
            await jobs.Json.WriteAsync(http, StatusCodes.Status200OK, edited);
        }
        else
        {
            await ProblemResponse.WriteAsync(http, JobProblems.Gone(job.Id, "it was deleted"));
        }
    }

    /// <summary>Begins it again, or a new job like one that has succeeded.</summary>
    public async Task RetryAsync(HttpContext http)
    {
        if (await jobs.Access.FindForAdminAsync(http) is not { } job)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
            return;
        }

        SeenState.Check(http, job);
        var again = await jobs.Services.Jobs.RetryAsync(job.Id, http.RequestAborted);
        if (await jobs.Services.Jobs.FindAsync(again.Id, http.RequestAborted) is { } now)
        {
            http.Response.Headers.Location = jobs.Services.AddressOf(http, now.Id);
            await jobs.Json.WriteAsync(http, StatusCodes.Status202Accepted, now);
        }
        else
        {
            await ProblemResponse.WriteAsync(http, JobProblems.Gone(again.Id, "it was deleted"));
        }
    }

    /// <summary>Deletes a job that has ended.</summary>
    public async Task PurgeAsync(HttpContext http)
    {
        if (await jobs.Access.FindForAdminAsync(http) is { } job)
        {
            SeenState.Check(http, job);
            if (await jobs.Services.Jobs.PurgeAsync(job.Id, http.RequestAborted))
            {
                http.Response.StatusCode = StatusCodes.Status204NoContent;
                return;
            }
        }

        await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
    }

    // null where the answer is written.
    private static async ValueTask<string?> ReadAsync(HttpContext http)
    {
        var reader = http.Request.BodyReader;
        while (true)
        {
            var read = await reader.ReadAsync(http.RequestAborted);
            if (read.Buffer.Length > JobArguments.Most)
            {
                reader.AdvanceTo(read.Buffer.End);
                await ProblemResponse.WriteAsync(http, new Problem(StatusCodes.Status413PayloadTooLarge, WeirCodes.PayloadTooLarge, $"The arguments of a job may have {JobArguments.Most} bytes, and these are more."));
                return null;
            }

            if (!read.IsCompleted)
            {
                reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                continue;
            }

            var body = read.Buffer.ToArray();
            reader.AdvanceTo(read.Buffer.End);
            try
            {
                using var document = JsonDocument.Parse(body);
                if (document.RootElement.ValueKind == JsonValueKind.Object)
                {
                    return Encoding.UTF8.GetString(body);
                }
            }
            catch (JsonException)
            {
            }

            throw new BindingException([new BindingError("", "body", BindingErrorReason.Invalid, "a JSON object with a member for each argument")]);
        }
    }
}

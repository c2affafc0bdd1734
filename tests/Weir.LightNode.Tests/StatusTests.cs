using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Operations that choose their status, and the deadline of a call.</summary>
public abstract class StatusTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    // LightNode answers without a body; in Weir every error without content is a problem.
    [Theory]
    [InlineData("Redirect", 302)] // Declared without a result.
    [InlineData("Unauthorized", 401)] // A value.
    [InlineData("Unavailable", 503)] // A task of a value. LightNode's first version sends a reason phrase, its second does not.
    [InlineData("Stream", 401)]
    public async Task A_status_without_content_is_a_problem(string operation, int status)
    {
        var answer = await GetAsync($"/StatusCodeContract/{operation}");
        answer.Problem(status, WeirCodes.OperationStatus);
        Assert.Equal(operation == "Redirect" ? "/elsewhere" : null, answer.Header("Location"));
    }

    [Theory]
    [InlineData("Content", 305, "UseProxy....", null)] // Declared without a result. LightNode writes its content with its default formatter, as JSON.
    [InlineData("Conflict", 409, "z", "taken")]
    [InlineData("Conflict.json", 409, "z", "taken")]
    public async Task A_status_with_content_has_the_content_and_the_headers(string operation, int status, string body, string? reason)
    {
        var answer = await GetAsync($"/StatusCodeContract/{operation}");
        Assert.Equal((status, Text, body, reason), (answer.Status, answer.ContentType, answer.Body, answer.Header("X-Reason")));
    }

    [Fact]
    public async Task A_status_is_no_failure_in_the_log()
    {
        await GetAsync("/StatusCodeContract/Unavailable");
        Assert.DoesNotContain(Application.Log.Lines, line => line.Contains(Twin("StatusCodeContract"), StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_status_and_headers_may_come_with_a_result()
    {
        var answer = await GetAsync("/StatusCodeContract/Created");
        Assert.Equal((201, "made", "yes"), (answer.Status, answer.Body, answer.Header("X-Made")));
    }

    [Fact]
    public async Task A_deadline_is_in_the_context_and_ends_the_call()
    {
        Assert.EndsWith(" nothing limited", (await GetAsync("/ContextContract/Describe?x=1", "Weir-Deadline-Ms: 60000")).Body, StringComparison.Ordinal);
        (await GetAsync("/ContextContract/Wait", "Weir-Deadline-Ms: 50")).Problem(504, WeirCodes.DeadlineExceeded);
    }
}

public sealed class InlineStatusTests(LightNodeApplication application) : StatusTests(application, Placement.Inline);

public sealed class IsolatedStatusTests(LightNodeApplication application) : StatusTests(application, Placement.Isolated);

using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;

namespace Weir.Tests.AspNetCore;

public sealed class ProblemTests
{
    public static TheoryData<CallStatus, int> Statuses => new()
    {
        { CallStatus.Ok, 200 },
        { CallStatus.BadRequest, 400 },
        { CallStatus.Rejected, 503 },
        { CallStatus.DeadlineExceeded, 504 },
        { CallStatus.Cancelled, 499 },
        { CallStatus.HandlerFailed, 500 },
        { CallStatus.WorkerLost, 502 },
        { CallStatus.ProtocolViolation, 502 },
    };

    public static TheoryData<Exception, int, string, bool> Errors => new()
    {
        { new BindingException([]), 400, WeirCodes.BadArguments, false },
        { new CallRejectedException(WeirCodes.QueueFull, "x"), 503, WeirCodes.QueueFull, false },
        { new CallRejectedException(WeirCodes.Draining, "x"), 503, WeirCodes.Draining, false },
        { new DeadlineExceededException("x"), 504, WeirCodes.DeadlineExceeded, false },
        { new WorkerLostException(WeirCodes.WorkerLost, "x", "p", 1, "c"), 502, WeirCodes.WorkerLost, false },
        { new WorkerLostException(WeirCodes.WorkerStartFailed, "x", "p", 0, "c"), 502, WeirCodes.WorkerStartFailed, false },
        { new ProtocolViolationException("x"), 502, WeirCodes.ProtocolViolation, false },
        { new PayloadTooLargeException(CallStatus.BadRequest, "x"), 400, WeirCodes.PayloadTooLarge, false },
        { new PayloadTooLargeException(CallStatus.HandlerFailed, "x"), 500, WeirCodes.PayloadTooLarge, true },
        { new OperationStatusException(418), 418, WeirCodes.OperationStatus, false },
        { new RemoteException("T", "x", null, "p", 1), 500, WeirCodes.HandlerFailed, true },
        { new InvalidOperationException("x"), 500, WeirCodes.HandlerFailed, true },
        { new OperationCanceledException(), 500, WeirCodes.HandlerFailed, true },
    };

    [Theory]
    [MemberData(nameof(Statuses))]
    public void Every_outcome_has_one_http_status(CallStatus status, int http) => Assert.Equal(http, ProblemMapping.ToHttpStatus(status));

    [Fact]
    public void No_outcome_is_missing() => Assert.Equal(Enum.GetValues<CallStatus>(), Statuses.Select(static row => row.Data.Item1));

    [Theory]
    [MemberData(nameof(Errors))]
    public void Every_exception_becomes_a_problem(Exception error, int status, string code, bool isFailure)
    {
        var problem = ProblemMapping.From(error, includeDetails: false);
        Assert.Equal((status, code), (problem.Status, problem.Code));
        Assert.Equal(isFailure, ProblemMapping.IsFailure(error));
        Assert.Equal(code is WeirCodes.HandlerFailed or WeirCodes.WorkerStartFailed, problem.Detail != error.Message);
        Assert.Null(problem.Exception);
        Assert.NotNull(ProblemMapping.From(error, includeDetails: true).Exception);
    }

    [Fact]
    public void Every_problem_of_a_call_or_of_a_workers_start_has_a_title_of_its_own()
    {
        // From WEIR3010 on the application does not start, so no caller reads them; but a configuration may grow later.
        var codes = typeof(WeirCodes).GetFields().Select(static field => (string)field.GetRawConstantValue()!)
            .Where(static code => code[4] == '2' || code.StartsWith("WEIR300", StringComparison.Ordinal) || code == WeirCodes.ConfigurationTooLarge).ToArray();
        Assert.NotEmpty(codes);
        Assert.Equal(codes.Length, codes.Select(ProblemTitles.Of).Distinct().Count());
        Assert.DoesNotContain(ProblemTitles.Of("WEIR9999"), codes.Select(ProblemTitles.Of));
    }

    [Fact]
    public void A_remote_failure_names_the_type_that_was_thrown_there() =>
        Assert.Equal("Remote.Type: x", ProblemMapping.From(new RemoteException("Remote.Type", "x", null, "p", 1), includeDetails: true).Detail);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_message_of_an_exception_during_a_worker_start_is_not_exposed_unless_the_option_allows_it(bool includeDetails)
    {
        var error = new WorkerLostException(WeirCodes.WorkerStartFailed, "build services failed: password is hunter2", "p", 1, "start failed in phase 'build services'");
        var detail = ProblemMapping.From(error, includeDetails).Detail;
        Assert.Contains("build services", detail, StringComparison.Ordinal);
        Assert.Equal(includeDetails, detail.Contains("hunter2", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(WeirCodes.WorkerLost, false)]
    [InlineData(WeirCodes.WorkerStartFailed, false)]
    [InlineData(WeirCodes.WorkerStartFailed, true)]
    public async Task The_problem_of_a_lost_worker_names_its_crash_report(string code, bool includeDetails)
    {
        var lost = new WorkerLostException(code, "x", "p", 4711, "c", "p-4711-1");
        var (_, body) = await WriteAsync(ProblemMapping.From(lost, includeDetails), "GET");
        Assert.Equal("p-4711-1", JsonDocument.Parse(body).RootElement.GetProperty("report").GetString());
        (_, body) = await WriteAsync(ProblemMapping.From(new WorkerLostException(code, "x", "p", 0, "c"), includeDetails), "GET");
        Assert.False(JsonDocument.Parse(body).RootElement.TryGetProperty("report", out _));
    }

    [Fact]
    public async Task A_problem_has_the_documented_form()
    {
        var problem = ProblemMapping.From(
            new BindingException([new BindingError("order.amounts[1]", "body", BindingErrorReason.Invalid, "a whole number"), new BindingError("city", "request", BindingErrorReason.Missing, "text \"quoted\" <ü>")]),
            includeDetails: false);
        var (http, body) = await WriteAsync(problem, "GET");
        Assert.Equal(400, http.Response.StatusCode);
        Assert.Equal("application/problem+json", http.Response.ContentType);
        Assert.Equal(Encoding.UTF8.GetByteCount(body), http.Response.ContentLength);
        Assert.Equal(
            """{"type":"urn:weir:problem:WEIR2001","title":"The arguments cannot be bound","status":400,"detail":"2 arguments cannot be bound; first: order.amounts[1] (body): invalid, expected a whole number.","instance":"/base/a%20b","code":"WEIR2001","traceId":"t-1","errors":{"order.amounts[1]":["expected a whole number"],"city":["expected text \"quoted\" <ü>"]},"bindingErrors":[{"name":"order.amounts[1]","source":"body","reason":"invalid","expected":"a whole number"},{"name":"city","source":"request","reason":"missing","expected":"text \"quoted\" <ü>"}]}""",
            body);
        JsonDocument.Parse(body).Dispose();
    }

    [Theory]
    [InlineData(0, "1")]
    [InlineData(0.2, "1")]
    [InlineData(1, "1")]
    [InlineData(1.001, "2")]
    [InlineData(90, "90")]
    public async Task Retry_after_is_in_whole_seconds_and_never_at_once(double seconds, string header)
    {
        var problem = ProblemMapping.From(new CallRejectedException(WeirCodes.QueueFull, "x", TimeSpan.FromSeconds(seconds)), includeDetails: false);
        Assert.Equal(header, (await WriteAsync(problem, "GET")).Http.Response.Headers.RetryAfter);
    }

    [Theory]
    [InlineData("HEAD", 404, false, true)]
    [InlineData("GET", 304, false, false)]
    [InlineData("GET", 404, true, true)]
    public async Task A_problem_has_a_body_where_a_response_may_have_one(string verb, int status, bool hasBody, bool hasType)
    {
        var (http, body) = await WriteAsync(new Problem(status, WeirCodes.OperationNotFound, "x"), verb);
        Assert.Equal(hasBody, body.Length > 0);
        Assert.Equal(hasType, http.Response.ContentType is not null);
    }

    private static async Task<(HttpContext Http, string Body)> WriteAsync(Problem problem, string verb)
    {
        using var body = new MemoryStream();
        var http = new DefaultHttpContext { TraceIdentifier = "t-1", RequestServices = EmptyServices.Instance };
        http.Request.Method = verb;
        http.Request.PathBase = "/base";
        http.Request.Path = "/a b";
        http.Response.Body = body;
        await ProblemResponse.WriteAsync(http, problem);
        await http.Response.BodyWriter.FlushAsync(TestContext.Current.CancellationToken);
        return (http, Encoding.UTF8.GetString(body.ToArray()));
    }

    private sealed class EmptyServices : IServiceProvider
    {
        internal static EmptyServices Instance { get; } = new();

        public object? GetService(Type serviceType) => null;
    }
}

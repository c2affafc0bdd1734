using System.Net;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A problem is the exception that a caller in the server's process would catch.</summary>
public sealed class ProblemTests(ClientHost host) : IClassFixture<ClientHost>
{
    private readonly IStreams _streams = host.Client<IStreams>();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Every_binding_error_is_in_the_exception()
    {
        // A client that was generated from this contract cannot send it, so a handler spoils the request.
        using var http = new HttpClient(new Spoiler { InnerHandler = new SocketsHttpHandler() }) { BaseAddress = host.Address };
        var error = await Assert.ThrowsAsync<BindingException>(async () => await WeirClient.Create<IValues>(http).TwoBodies(new Part("a", 1), null, 1, Cancel));
        Assert.Equal(CallStatus.BadRequest, error.Status);
        Assert.Equal(400, error.Problem!.Status);
        Assert.Equal(["first.count", "times"], error.Errors.Select(static one => one.Name).Order());
        Assert.All(error.Errors, static one => Assert.Equal("body", one.Source));
        Assert.NotNull(error.Problem.TraceId);
    }

    [Fact]
    public async Task A_declared_exception_is_caught_by_its_own_type()
    {
        Assert.Equal("it is gone", (await Assert.ThrowsAsync<GoneException>(() => _streams.Throw("gone", "it is gone", Cancel))).Message);

        // Without a status its message is not for callers.
        Assert.DoesNotContain("secret", (await Assert.ThrowsAsync<QuietException>(() => _streams.Throw("quiet", "secret", Cancel))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Other_failures_are_problems_with_status_and_code()
    {
        var failed = await Assert.ThrowsAsync<ProblemException>(() => _streams.Throw("other", "secret", Cancel));
        Assert.Equal((500, WeirCodes.HandlerFailed, CallStatus.HandlerFailed), (failed.Problem!.Status, failed.Code, failed.Status));
        Assert.DoesNotContain("secret", failed.Message, StringComparison.Ordinal);

        var chosen = await Assert.ThrowsAsync<ProblemException>(() => _streams.Throw("status", "", Cancel));
        Assert.Equal(409, chosen.Problem!.Status);
    }

    [Fact]
    public async Task A_rejected_call_says_when_to_try_again()
    {
        var error = await Assert.ThrowsAsync<CallRejectedException>(() => _streams.Throw("rejected", "full", Cancel));
        Assert.Equal((TimeSpan.FromSeconds(7), WeirCodes.QueueFull, "full"), (error.RetryAfter, error.Code, error.Message));
    }

    [Theory]
    [InlineData("Fri, 31 Dec 1999 23:59:59 GMT", 19)]
    [InlineData("Fri, 31 Dec 1999 23:59:30 GMT", 0)]
    [InlineData("0", 0)]
    [InlineData("99999999999", int.MaxValue)]
    [InlineData("soon", null)]
    public async Task A_time_to_try_again_is_read_in_every_form(string retryAfter, int? seconds)
    {
        var response = new HttpResponseMessage(HttpStatusCode.TooManyRequests) { Headers = { Date = new DateTimeOffset(1999, 12, 31, 23, 59, 40, TimeSpan.Zero) } };
        response.Headers.TryAddWithoutValidation("Retry-After", retryAfter);
        var error = await Assert.ThrowsAsync<ProblemException>(() => Answering(response).Throw("", "", Cancel));
        Assert.Equal(seconds, error.Problem!.RetryAfter?.TotalSeconds);
    }

    [Fact]
    public async Task An_answer_of_another_program_is_a_problem_with_the_beginning_of_its_text()
    {
        var error = await Assert.ThrowsAsync<ProblemException>(() => Answering(HttpStatusCode.BadGateway, "text/html", "<h1>no upstream</h1>").Throw("", "", Cancel));
        Assert.Equal((502, "", "<h1>no upstream</h1>"), (error.Problem!.Status, error.Code, error.Message));
    }

    [Fact]
    public async Task A_success_that_is_not_what_the_contract_says_is_refused()
    {
        var page = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Answering(HttpStatusCode.OK, "text/html", "<h1>log in</h1>").Remaining(Cancel));
        Assert.Contains("text/html", page.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Answering(HttpStatusCode.OK, "application/json", "{}").Remaining(Cancel));
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Answering(HttpStatusCode.OK, "application/json", "1 2").Remaining(Cancel));
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Answering(HttpStatusCode.OK, "application/x-ndjson", "1\n").Count(1, ct: Cancel).ToListAsync(Cancel));
    }

    [Fact]
    public async Task A_larger_result_than_the_limit_is_refused()
    {
        var limited = WeirClient.Create<IValues>(host.Http, new WeirClientOptions { MaxResultBytes = 10 });
        Assert.Equal("12345678", await limited.MaybeText("12345678", Cancel));
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await limited.MaybeText("123456789", Cancel));
    }

    private static IStreams Answering(HttpStatusCode status, string type, string body) =>
        Answering(new HttpResponseMessage(status) { Content = new StringContent(body, System.Text.Encoding.UTF8, type) });

    private static IStreams Answering(HttpResponseMessage response) =>
        WeirClient.Create<IStreams>(new HttpClient(new Fixed(response)) { BaseAddress = new Uri("http://localhost") });

    private sealed class Fixed(HttpResponseMessage response) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => Task.FromResult(response);
    }

    private sealed class Spoiler : DelegatingHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            request.Content = new StringContent("""{"first":{"name":"a","count":"many"},"times":1.5}""", System.Text.Encoding.UTF8, "application/json");
            return base.SendAsync(request, cancellationToken);
        }
    }
}

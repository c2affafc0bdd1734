using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Operations are endpoints of ASP.NET Core among others. LightNode has options that say when the next middleware runs.</summary>
public abstract class MiddlewareTests(SurroundedApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("/Hello/Ping", 200, "Pong")]
    [InlineData("/VerbContract/PatchOnly", 405, null)]
    [InlineData("/hello/pin", 404, null)]
    [InlineData("/StatusCodeContract/Conflict", 409, "z")]
    public async Task Middleware_around_the_services_sees_every_status_and_leaves_a_body_as_it_is(string path, int status, string? body)
    {
        var answer = await GetAsync(path);
        Assert.Equal((status, $"{status}"), (answer.Status, answer.Header("X-Seen")));
        Assert.Equal(body is null ? "application/problem+json" : Text, answer.ContentType);
        Assert.Equal(body ?? answer.Body, answer.Body);
    }

    [Fact]
    public async Task A_status_without_a_body_gets_the_page_of_the_application()
    {
        var answer = await GetAsync("/FilterTestContract/Skipped?x=2");
        Assert.Equal((410, "page of 410"), (answer.Status, answer.Body));
    }

    [Fact]
    public async Task Middleware_may_answer_instead_of_a_service()
    {
        var answer = await GetAsync("/Hello/Ping", "X-Closed: 1");
        Assert.Equal((200, "closed"), (answer.Status, answer.Body));
    }
}

public sealed class InlineMiddlewareTests(SurroundedApplication application) : MiddlewareTests(application, Placement.Inline)
{
    [Theory]
    [InlineData("/about", "about")]
    [InlineData("/nowhere/at/all", "fallback")]
    [InlineData("/", "fallback")]
    public async Task A_path_that_begins_with_no_service_is_left_to_the_application(string path, string body) => Assert.Equal(body, (await GetAsync(path)).Body);
}

public sealed class IsolatedMiddlewareTests(SurroundedApplication application) : MiddlewareTests(application, Placement.Isolated);

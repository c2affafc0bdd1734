using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Which verbs an operation answers: those of the method, else those of the class, else POST.</summary>
public abstract class VerbTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("PUT", "/VerbContract/PutOnly", 200)]
    [InlineData("PUT", "/VerbContract/Named", 200)]
    [InlineData("PATCH", "/VerbContract/PatchOnly", 204)]
    [InlineData("GET", "/VerbContract/Own", 200)]
    [InlineData("DELETE", "/VerbContract/Own", 200)]
    [InlineData("POST", "/DefaultVerbs/Say", 200)]
    [InlineData("GET", "/DefaultVerbs/Read", 200)]
    [InlineData("PUT", "/ArrayContract/Sum?xs=1", 200)]
    public async Task A_verb_of_the_method_or_else_of_the_class_is_answered(string verb, string path, int status) =>
        Assert.Equal(status, (await SendAsync(verb, path)).Status);

    [Theory]
    [InlineData("GET", "/VerbContract/PutOnly", "PUT, OPTIONS")]
    [InlineData("GET", "/VerbContract/Named", "PUT, OPTIONS")]
    [InlineData("PUT", "/VerbContract/PatchOnly", "PATCH, OPTIONS")]
    [InlineData("POST", "/VerbContract/Own", "GET, HEAD, DELETE, OPTIONS")]
    [InlineData("PUT", "/VerbContract/Own", "GET, HEAD, DELETE, OPTIONS")]
    [InlineData("PUT", "/Hello/Say", "GET, HEAD, POST, OPTIONS")]
    [InlineData("GET", "/DefaultVerbs/Say", "POST, OPTIONS")] // LightNode answers GET and POST by default.
    [InlineData("POST", "/DefaultVerbs/Read", "GET, HEAD, OPTIONS")]
    [InlineData("QUERY", "/Hello/Say", "GET, HEAD, POST, OPTIONS")] // QUERY is not served yet: a verb like any other that is not declared.
    public async Task Another_verb_is_405_with_the_verbs_that_are_answered(string verb, string path, string allow)
    {
        var answer = await SendAsync(verb, path);
        answer.Problem(405, WeirCodes.MethodNotAllowed);
        Assert.Equal(allow, answer.Allow);
    }

    [Fact]
    public async Task HEAD_answers_the_headers_of_GET()
    {
        var answer = await SendAsync("HEAD", "/Hello/Say");
        Assert.Equal((200, "", Text, 15L), (answer.Status, answer.Body, answer.ContentType, answer.ContentLength));
        Assert.Equal(405, (await SendAsync("HEAD", "/DefaultVerbs/Say")).Status);
    }

    [Theory]
    [InlineData("/Hello/Say", "GET, HEAD, POST, OPTIONS")]
    [InlineData("/VerbContract/PatchOnly", "PATCH, OPTIONS")]
    public async Task OPTIONS_answers_the_verbs(string path, string allow)
    {
        var answer = await SendAsync("OPTIONS", path);
        Assert.Equal((204, allow), (answer.Status, answer.Allow));
    }
}

public sealed class InlineVerbTests(LightNodeApplication application) : VerbTests(application, Placement.Inline);

public sealed class IsolatedVerbTests(LightNodeApplication application) : VerbTests(application, Placement.Isolated);

using System.Text.Json.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// Every error that Weir answers is a problem in one form. LightNode has policies instead: to throw to the host, a status with a line of text,
/// or the details too.
/// </summary>
public abstract class ErrorTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("Result")]
    [InlineData("Void")]
    [InlineData("Later")]
    [InlineData("Stream")]
    public async Task What_an_operation_throws_is_500_without_its_text_which_is_in_the_log(string operation)
    {
        var answer = await GetAsync($"/FailureContract/{operation}");
        answer.Problem(500, WeirCodes.HandlerFailed);
        Assert.DoesNotContain("secret", answer.Body, StringComparison.Ordinal);
        Assert.Contains(Application.Log.Lines, line => line.StartsWith($"Error 4201 {Twin("FailureContract")}/{operation} failed (500, ", StringComparison.Ordinal) && line.Contains("secret", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("GET", "/TestContract/Add?x=1", 400, WeirCodes.BadArguments)]
    [InlineData("GET", "/hello/pin", 404, WeirCodes.OperationNotFound)]
    [InlineData("GET", "/VerbContract/PutOnly", 405, WeirCodes.MethodNotAllowed)]
    [InlineData("GET", "/Hello/Say.zzz", 406, WeirCodes.NotAcceptable)]
    [InlineData("POST", "/Hello/Echo", 415, WeirCodes.UnsupportedMediaType)]
    public async Task A_refusal_is_a_problem_that_says_what_is_wrong(string verb, string path, int status, string code)
    {
        var problem = (await SendAsync(verb, path, verb == "POST" ? "text/plain" : null, verb == "POST" ? "x" : null)).Problem(status, code);
        Assert.Equal(Placed(path).Split('?')[0], problem.GetProperty("instance").GetString());
    }

    [Fact]
    public async Task Binding_errors_are_also_in_the_form_that_clients_of_ASP_NET_Core_know()
    {
        var problem = (await GetAsync("/TestContract/Add?x=z")).Problem(400, WeirCodes.BadArguments);
        var errors = problem.GetProperty("errors");
        Assert.Equal(["x", "y"], errors.EnumerateObject().Select(static one => one.Name).Order());
        Assert.Contains("whole number", errors.GetProperty("x")[0].GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Errors_are_the_same_in_every_environment()
    {
        await using var other = await LightNodeApplication.StartAsync(environment: "Development");
        foreach (var (verb, path) in ((string, string)[])[("GET", "/TestContract/Add?x=1"), ("GET", "/hello/pin"), ("PUT", "/Hello/Say"), ("GET", "/Hello/Say.zzz"), ("GET", "/FailureContract/Result")])
        {
            var (one, two) = (await SendAsync(verb, path), await SendAsync(other, verb, path, null, null));
            Assert.Equal((one.Status, one.ContentType, WithoutTrace(one)), (two.Status, two.ContentType, WithoutTrace(two)));
        }
    }

    [Fact]
    public async Task Details_of_an_exception_are_in_the_problem_by_option()
    {
        await using var open = await LightNodeApplication.StartAsync(build: static services => services.Configure<WeirServerOptions>(static options => options.IncludeExceptionDetails = true));
        var problem = (await SendAsync(open, "GET", "/FailureContract/Result", null, null)).Problem(500, WeirCodes.HandlerFailed);
        Assert.Contains("the secret of the result", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.Contains("InvalidOperationException", problem.GetProperty("exception").GetString(), StringComparison.Ordinal);
    }

    private static string WithoutTrace(Answer answer)
    {
        var problem = JsonNode.Parse(answer.Bytes)!.AsObject();
        Assert.True(problem.Remove("traceId"));
        return problem.ToJsonString();
    }
}

public sealed class InlineErrorTests(LightNodeApplication application) : ErrorTests(application, Placement.Inline);

public sealed class IsolatedErrorTests(LightNodeApplication application) : ErrorTests(application, Placement.Isolated);

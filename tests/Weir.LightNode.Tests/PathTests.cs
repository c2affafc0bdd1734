using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Paths of two parts in any case, and extensions that select the format.</summary>
public abstract class PathTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("/Hello/Ping")]
    [InlineData("/heLLo/pInG")]
    [InlineData("/heLLo/pInG/")]
    [InlineData("/h%65llo/p%69ng")]
    public async Task A_path_is_the_service_and_the_operation_in_any_case_with_or_without_a_slash_at_the_end(string path)
    {
        foreach (var verb in (string[])["GET", "POST"])
        {
            var answer = await SendAsync(verb, path);
            Assert.Equal((200, "Pong"), (answer.Status, answer.Body));
        }
    }

    [Theory]
    [InlineData("/hello")]
    [InlineData("/hello/")]
    [InlineData("/hello/pin")]
    [InlineData("/hello/pingoo")]
    [InlineData("/hello/ping/oo")]
    [InlineData("/Hello/Say.x.json")]
    [InlineData("/Hello/Say.")] // LightNode takes an empty extension for none.
    public async Task Another_path_below_a_service_is_a_404_of_its_own(string path)
    {
        var answer = await GetAsync(path);
        answer.Problem(404, WeirCodes.OperationNotFound);
    }

    [Theory]
    [InlineData("/")]
    [InlineData("/helloo/ping")]
    [InlineData("//hello//ping")]
    [InlineData("//hello/ping")] // LightNode trims slashes at the beginning.
    public async Task A_path_that_begins_with_no_service_is_404(string path)
    {
        var answer = await GetAsync(path);
        Assert.Equal((404, ""), (answer.Status, answer.Body));
    }

    [Theory]
    [InlineData("/Hello/Say.json", null, "application/json", "\"Hello LightNode\"")]
    [InlineData("/Hello/Say.JSON", null, "application/json", "\"Hello LightNode\"")]
    [InlineData("/Hello/Say.txt", null, Text, "Hello LightNode")]
    [InlineData("/Hello/Say.txt", "Accept: application/json", Text, "Hello LightNode")]
    [InlineData("/Hello/Say.json/", "Accept: text/plain", "application/json", "\"Hello LightNode\"")]
    public async Task An_extension_selects_the_format_before_Accept(string path, string? header, string contentType, string body)
    {
        var answer = await GetAsync(path, header is null ? [] : [header]);
        Assert.Equal((200, contentType, body), (answer.Status, answer.ContentType, answer.Body));
    }

    [Theory]
    [InlineData("/Hello/Say.zzz")]
    [InlineData("/FormatterCheck/Number.txt")] // LightNode fails with 500 when it writes a number as text.
    [InlineData("/TestContract/VoidCheck.zzz?guid=g&after=b")]
    public async Task An_extension_of_no_format_is_406_and_nothing_runs(string path)
    {
        var answer = await GetAsync(path);
        answer.Problem(406, WeirCodes.NotAcceptable);
        Assert.Equal("nothing", (await GetAsync("/TestContract/Stored?guid=g")).Body);
    }
}

public sealed class InlinePathTests(LightNodeApplication application) : PathTests(application, Placement.Inline);

public sealed class IsolatedPathTests(LightNodeApplication application) : PathTests(application, Placement.Isolated);

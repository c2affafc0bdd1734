using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// The client that is generated for a service: its names, parameters and defaults, with tasks as results. LightNode's sends forms over HTTP; this one is called in the application,
/// whose endpoints answer what it returns.
/// </summary>
public abstract class ClientTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("Defaults", "330")]
    [InlineData("Sum", "6")]
    [InlineData("Null", "null")]
    [InlineData("Enum", "B; B; B, C")] // M1 14, M2 13, M2 14
    [InlineData("Enums", "Orange,Apple")]
    [InlineData("Bytes", "3")]
    [InlineData("Object", """{"age":7,"name":"x"}""")]
    [InlineData("Stream", "[1,2,3]")]
    [InlineData("Void", "After")]
    [InlineData("Status", "409 z")]
    public async Task A_client_calls_the_operation_with_arguments_of_every_kind(string call, string body)
    {
        var answer = await GetAsync($"/Client/{call}");
        Assert.Equal((200, body), (answer.Status, answer.Body));
    }
}

public sealed class InlineClientTests(LightNodeApplication application) : ClientTests(application, Placement.Inline);

public sealed class IsolatedClientTests(LightNodeApplication application) : ClientTests(application, Placement.Isolated);

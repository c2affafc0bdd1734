using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>What is a service, what is an operation, and what its result becomes.</summary>
public abstract class ServiceTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Fact]
    public async Task An_operation_runs_where_its_service_is_placed()
    {
        var answer = await GetAsync("/Hello/ProcessId");
        Assert.Equal(IsIsolated, answer.Body != $"{Environment.ProcessId}");
        Assert.Equal((200, Json), (answer.Status, answer.ContentType));
    }

    [Theory]
    [InlineData("Inherited", "inherited")]
    [InlineData("Overridden", "derived")]
    public async Task Public_methods_are_operations_inherited_ones_too(string operation, string body)
    {
        var answer = await GetAsync($"/Discovered/{operation}");
        Assert.Equal((200, body), (answer.Status, answer.Body));
    }

    [Theory]
    [InlineData("Static")]
    [InlineData("Internal")]
    [InlineData("Protected")]
    [InlineData("Property")]
    [InlineData("get_Property")]
    [InlineData("set_Property")]
    [InlineData("Changed")]
    [InlineData("add_Changed")] // With LightNode an event stops the start.
    [InlineData("ToString")]
    [InlineData("Equals")]
    [InlineData("GetHashCode")]
    [InlineData("GetType")]
    [InlineData("Ignored")]
    public async Task Other_members_and_methods_with_IgnoreOperation_are_404(string member)
    {
        var answer = await GetAsync($"/Discovered/{member}");
        answer.Problem(404, WeirCodes.OperationNotFound);
    }

    [Theory]
    [InlineData("Add?x=10&y=20", "30")]
    [InlineData("TaskAdd?x=10&y=20", "30")]
    [InlineData("ValueTaskAdd?x=10&y=20", "30")]
    [InlineData("AddWithDefault?y=20&z=5&x=10", "35")]
    [InlineData("AddWithDefault?x=10&y=20", "330")]
    [InlineData("TaskAddWithDefault?y=20&z=5&x=10", "35")]
    [InlineData("TaskAddWithDefault?x=10&y=20", "330")]
    [InlineData("Both?x=1&y=2", "[1,2]")]
    [InlineData("Count?n=3", "[1,2,3]")]
    [InlineData("CanBeCancelled", "yes")]
    [InlineData("CreatePerson?age=7&name=x", """{"age":7,"name":"x"}""")] // LightNode writes Age and Name: Weir's JSON has camelCase.
    public async Task A_result_answers_however_it_is_declared_to_get_and_to_a_form(string request, string body)
    {
        var got = await GetAsync($"/TestContract/{request}");
        Assert.Equal((200, body), (got.Status, got.Body));

        var parts = request.Split('?');
        var posted = await PostAsync($"/TestContract/{parts[0]}", Form, parts.ElementAtOrDefault(1) ?? "");
        Assert.Equal((200, body), (posted.Status, posted.Body));
    }

    [Theory]
    [InlineData("VoidCheck")]
    [InlineData("TaskVoidCheck")]
    [InlineData("ValueTaskVoidCheck")]
    public async Task An_operation_without_a_result_has_ended_when_204_arrives(string operation)
    {
        foreach (var isForm in (bool[])[false, true])
        {
            var guid = Guid.NewGuid();
            var answer = isForm
                ? await PostAsync($"/TestContract/{operation}", Form, $"guid={guid}&after=After")
                : await GetAsync($"/TestContract/{operation}?after=After&guid={guid}");
            Assert.Equal((204, "", null), (answer.Status, answer.Body, answer.ContentType));
            Assert.Equal("After", (await GetAsync($"/TestContract/Stored?guid={guid}")).Body);
        }
    }

    [Fact]
    public async Task A_task_that_is_declared_without_a_result_answers_204_even_if_it_has_one()
    {
        var answer = await GetAsync("/TestContract/AddInVain?x=1&y=2");
        Assert.Equal((204, ""), (answer.Status, answer.Body));
    }

    [Theory]
    [InlineData("Twice?x=21", "42")]
    [InlineData("TwiceText?x=21", "2121")]
    public async Task An_overload_has_a_name_of_its_own(string request, string body) => Assert.Equal(body, (await GetAsync($"/TestContract/{request}")).Body);

    [Fact]
    public async Task A_service_that_is_not_for_HTTP_is_404()
    {
        var answer = await GetAsync("/InternalOnly/Hoge");
        Assert.Equal((404, ""), (answer.Status, answer.Body));
    }

    [Fact]
    public async Task Each_call_has_a_new_instance_with_services_of_the_container_where_it_runs()
    {
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal(IsIsolated ? "worker of lightnode 1" : "host 1", (await GetAsync("/Instances/Call")).Body);
        }
    }
}

public sealed class InlineServiceTests(LightNodeApplication application) : ServiceTests(application, Placement.Inline)
{
    [Fact]
    public async Task A_class_without_the_attribute_is_404()
    {
        var answer = await GetAsync("/Ignored/Hoge");
        Assert.Equal((404, ""), (answer.Status, answer.Body));
    }
}

public sealed class IsolatedServiceTests(LightNodeApplication application) : ServiceTests(application, Placement.Isolated);

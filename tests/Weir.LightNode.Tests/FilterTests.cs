using Weir.LightNode.Tests.Contracts;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Filters of the application, of the container, of classes and of methods: one stable sort, in the host around isolated operations too.</summary>
public abstract class FilterTests(FilteredApplication application, Placement placement) : WireTests(application, placement)
{
    // The filters of the application around every operation here, in two parts: between them are those of order 0.
    private const string Early = "Global1";
    private const string Late = "Container of host, Global2, GA, GB, Container";

    [Fact]
    public async Task Filters_run_in_one_order_whatever_their_kind()
    {
        var answer = await GetAsync("/FilterTestContract/Hoge");
        Assert.Equal((200, "100"), (answer.Status, answer.Body));
        Assert.Equal($"Contract1, {Early}, Method1, {Late}, CD, MD", answer.Header(Marks.Header));
    }

    [Fact]
    public async Task A_filter_that_catches_an_exception_answers_with_its_status()
    {
        var answer = await GetAsync("/FilterTestContract/Huga");
        Assert.Equal((404, "", null), (answer.Status, answer.Body, answer.ContentType));
        Assert.Equal($"Contract1, {Early}, {Late}, CD", answer.Header(Marks.Header));
    }

    [Fact]
    public async Task A_chosen_status_is_caught_like_any_exception()
    {
        var answer = await GetAsync("/FilterTestContract/Refuse");
        Assert.Equal((404, ""), (answer.Status, answer.Body));
    }

    [Theory]
    [InlineData("Hoge", "aaa")]
    [InlineData("Huga", "aaa mobile")]
    public async Task A_filter_asks_for_the_attributes_of_class_and_method_for_name_and_verb(string operation, string attributes)
    {
        var answer = await GetAsync($"/FilterTestContract/{operation}");
        Assert.Equal(attributes, answer.Header("X-Attributes"));
        Assert.Equal($"GET {Twin("FilterTestContract")}/{operation}", answer.Header("X-Operation"));
    }

    [Theory]
    [InlineData(0, 204, "")] // 200 with LightNode.
    [InlineData(1, 200, "7")]
    [InlineData(2, 410, "")]
    public async Task A_filter_that_does_not_call_next_answers_what_it_set_or_else_204(int x, int status, string body)
    {
        var answer = await GetAsync($"/FilterTestContract/Skipped?x={x}");
        Assert.Equal((status, body), (answer.Status, answer.Body));
        Assert.Equal(body.Length > 0, answer.ContentType is not null);
    }

    [Fact]
    public async Task A_filter_reads_and_replaces_arguments_and_result()
    {
        var answer = await GetAsync("/FilterTestContract/Recalculated?x=1&y=abc");
        Assert.Equal((200, "1106", "106"), (answer.Status, answer.Body, answer.Header("X-Result")));
    }

    [Fact]
    public async Task One_instance_of_a_filter_serves_all_requests()
    {
        for (var i = 1; i <= 3; i++)
        {
            Assert.Equal($"{i}", (await GetAsync("/FilterTestContract/Counted")).Header("X-Count"));
        }
    }

    [Fact]
    public async Task Filters_are_inherited_and_a_class_may_have_several()
    {
        var answer = await GetAsync("/Inheriting/Overridden");
        Assert.Equal((200, "2"), (answer.Status, answer.Body));
        Assert.Equal($"{Early}, {Late}, Base, First, Second, Method", answer.Header(Marks.Header));
    }

    [Theory]
    [InlineData("GET", "/FilterTestContract/Skipped?x=z", 400)]
    [InlineData("GET", "/FilterTestContract/Nothing", 404)]
    [InlineData("POST", "/FilterTestContract/Hoge", 405)]
    [InlineData("GET", "/FilterTestContract/Hoge.zzz", 406)]
    [InlineData("GET", "/FilterTestContract/Hoge", 200)]
    public async Task No_filter_runs_for_a_request_that_is_refused(string verb, string path, int status)
    {
        var answer = await SendAsync(verb, path);
        Assert.Equal((status, status == 200), (answer.Status, answer.Header(Marks.Header) is not null));
    }

    [Fact]
    public async Task The_operation_sees_its_name_parameters_arguments_and_what_a_filter_has_left()
    {
        var name = Twin("ContextContract");
        Assert.Equal($"{name}/Describe {name} Describe x,y 1,why a filter endless", (await GetAsync("/ContextContract/Describe?x=1")).Body);
    }
}

public sealed class InlineFilterTests(FilteredApplication application) : FilterTests(application, Placement.Inline);

public sealed class IsolatedFilterTests(FilteredApplication application) : FilterTests(application, Placement.Isolated);

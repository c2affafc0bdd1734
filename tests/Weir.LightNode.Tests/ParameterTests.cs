using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// Required, nullable and optional parameters, and lists. Where LightNode takes a value that does not convert for an absent one, or the first of
/// several values, Weir answers 400 with every error.
/// </summary>
public abstract class ParameterTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("Struct?x=1", "1")]
    [InlineData("Nullable", "null")]
    [InlineData("Nullable?x=1", "1")]
    [InlineData("DefaultValue", "100")]
    [InlineData("DefaultValue?x=1", "1")]
    [InlineData("NullableDefaultValue", "5")]
    [InlineData("NullableDefaultValue?x=7", "7")]
    [InlineData("String?x=hoge", "hoge")]
    [InlineData("String?x=", "")]
    [InlineData("StringNullable", "null")] // LightNode has an option for it; here the type says it.
    [InlineData("StringNullable?x=hoge", "hoge")]
    [InlineData("StringNullDefaultValue", "null")]
    [InlineData("StringNullDefaultValue?x=hoge", "hoge")]
    [InlineData("StringDefaultValue", "hogehoge")]
    [InlineData("StringDefaultValue?x=hoge", "hoge")]
    [InlineData("StringDefaultValue?x=", "")]
    [InlineData("Array", "0")]
    [InlineData("Array?x=100", "100")]
    [InlineData("Array?x=1&x=2", "3")]
    public Task A_value_or_else_the_default_or_null_arrives(string request, string body) => AnswersAsync($"/ParameterContract/{request}", body);

    [Theory]
    [InlineData("Struct", "x request missing")]
    [InlineData("Struct?x=hoge", "x query invalid")]
    [InlineData("Struct?x=", "x query invalid")]
    [InlineData("Struct?x=10&x=20&x=30", "x query duplicate")] // LightNode: 10.
    [InlineData("Nullable?x=hoge", "x query invalid")] // LightNode: null.
    [InlineData("Nullable?x=", "x query invalid")]
    [InlineData("DefaultValue?x=hoge", "x query invalid")] // LightNode: 100.
    [InlineData("DefaultValue?x=", "x query invalid")]
    [InlineData("NullableDefaultValue?x=hoge", "x query invalid")] // LightNode: null.
    [InlineData("String", "x request missing")]
    [InlineData("String?x=hoge&x=huga", "x query duplicate")]
    [InlineData("StringNullDefaultValue?x=hoge&x=huga", "x query duplicate")] // LightNode: hoge.
    [InlineData("StringDefaultValue?x=hoge&x=huga", "x query duplicate")]
    [InlineData("Array?x=1&x=hoge", "x[1] query invalid")] // LightNode: an empty list.
    [InlineData("Array2?x=&y=10", "x[0] query invalid")]
    public Task Whatever_is_wrong_is_400(string request, string errors) => IsRefusedAsync($"/ParameterContract/{request}", errors);

    [Theory]
    [InlineData("/TestContract/Add", "x request missing, y request missing")]
    [InlineData("/TestContract/Add?x=10", "y request missing")]
    [InlineData("/TestContract/Add?x=10&x=20", "x query duplicate, y request missing")]
    [InlineData("/TestContract/Add?x=a&y=b", "x query invalid, y query invalid")]
    [InlineData("/ArrayContract/Sum2?x=z&xs=1&xs=a&xs=b&y=1&y=2", "x query invalid, xs[1] query invalid, xs[2] query invalid, y query duplicate")]
    public Task All_errors_are_in_one_answer(string path, string errors) => IsRefusedAsync(path, errors);

    [Theory]
    [InlineData("/ArrayContract/Sum?xs=1&xs=2&xs=3", "6")]
    [InlineData("/ArrayContract/Sum?xs=1000", "1000")]
    [InlineData("/ArrayContract/Sum2?x=2&xs=1&xs=2&xs=3&y=30&ys=40&ys=50", "128")]
    [InlineData("/ArrayContract/Sum2?x=2&xs=1&y=30&ys=50", "83")]
    [InlineData("/ArrayContract/Texts", "0: ")]
    [InlineData("/ArrayContract/Texts?xs=", "1: ")]
    [InlineData("/ArrayContract/OrNull", "null")]
    [InlineData("/ArrayContract/OrNull?xs=1&xs=2", "2")]
    public Task A_list_is_every_value_of_its_key(string path, string body) => AnswersAsync(path, body);

    [Fact]
    public async Task A_list_in_JSON_is_an_array()
    {
        Assert.Equal("6", (await PostAsync("/ArrayContract/Sum", Json, "{\"xs\":[1,2,3]}")).Body);
        Assert.Equal("xs request missing", (await PostAsync("/ArrayContract/Sum", Json, "{}")).BindingErrors());
        Assert.Equal("xs[1] body invalid", (await PostAsync("/ArrayContract/Sum", Json, "{\"xs\":[1,\"a\"]}")).BindingErrors());
    }

    private async Task AnswersAsync(string path, string body)
    {
        var parts = path.Split('?');
        var got = await GetAsync(path);
        Assert.Equal((200, body), (got.Status, got.Body));
        var posted = await PostAsync(parts[0], Form, parts.ElementAtOrDefault(1) ?? "");
        Assert.Equal((200, body), (posted.Status, posted.Body));
    }

    private async Task IsRefusedAsync(string path, string errors)
    {
        var parts = path.Split('?');
        Assert.Equal(errors, (await GetAsync(path)).BindingErrors());
        var posted = await PostAsync(parts[0], Form, parts.ElementAtOrDefault(1) ?? "");
        Assert.Equal(errors.Replace(" query ", " form ", StringComparison.Ordinal), posted.BindingErrors());
    }
}

public sealed class InlineParameterTests(LightNodeApplication application) : ParameterTests(application, Placement.Inline);

public sealed class IsolatedParameterTests(LightNodeApplication application) : ParameterTests(application, Placement.Isolated);

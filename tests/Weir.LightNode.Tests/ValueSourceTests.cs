using System.Text;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Values in query, form and body: names in any case, percent-encoding, repeated keys.</summary>
public abstract class ValueSourceTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("%E3%81%82%E3%81%84%E3%81%86%E3%81%88%E3%81%8A", "あいうえお")]
    [InlineData("a%3Db", "a=b")]
    [InlineData("a%26b+c", "a&b c")]
    [InlineData("", "")]
    [InlineData("a=b", "a=b")] // LightNode drops the pair; base64 is lost.
    public async Task A_value_is_decoded_in_query_and_form_alike(string encoded, string decoded)
    {
        Assert.Equal(decoded, (await GetAsync($"/Hello/Echo?x={encoded}")).Body);
        Assert.Equal(decoded, (await PostAsync("/Hello/Echo", Form, $"x={encoded}")).Body);
    }

    [Fact]
    public async Task A_key_without_a_value_is_the_empty_text() // LightNode drops it, so that x is missing.
    {
        var answer = await GetAsync("/Hello/Echo?x");
        Assert.Equal((200, ""), (answer.Status, answer.Body));
    }

    [Theory]
    [InlineData("/TestContract/Add?X=10&Y=20", "30")]
    [InlineData("/TestContract/Add?x=10&y=20&z=30&x2=1", "30")]
    [InlineData("/ArrayContract/Texts?xs=a&xs=&XS=b", "3: a||b")]
    public async Task Names_ignore_case_and_unknown_names_are_ignored(string path, string body) => Assert.Equal(body, (await GetAsync(path)).Body);

    [Theory]
    [InlineData("application/x-www-form-urlencoded", "x=f", 200)]
    [InlineData("application/x-www-form-urlencoded; charset=utf-8", "x=f", 200)]
    [InlineData("Application/X-WWW-Form-Urlencoded", "x=f", 200)] // 400 with LightNode, which compares case.
    [InlineData("application/json", "{\"x\":\"f\"}", 200)] // LightNode binds no JSON.
    [InlineData("application/json", "{\"X\":\"f\"}", 200)]
    [InlineData(null, "x=f", 415)] // 400 with LightNode, which ignores a body that is no form.
    [InlineData("text/plain", "x=f", 415)]
    public async Task A_body_is_a_form_or_JSON_by_its_media_type(string? mediaType, string body, int status)
    {
        var answer = await PostAsync("/Hello/Echo", mediaType, body);
        Assert.Equal(status, answer.Status);
        Assert.Equal(status == 200, answer.Body == "f");
    }

    [Fact]
    public async Task A_form_binds_with_every_verb_but_GET()
    {
        Assert.Equal("3", (await SendAsync("PUT", "/ArrayContract/Sum", Form, "xs=1&xs=2")).Body);
        Assert.Equal("x request missing", (await SendAsync("GET", "/Hello/Echo", Form, "x=f")).BindingErrors());
    }

    [Theory]
    [InlineData("GET", "a=huga&b=nano&c=tako&a=takotyop", null, "huga,takotyop|nano|tako|")]
    [InlineData("GET", "a=huga&b=nano&c=tako&a=tako+tyop", null, "huga,tako tyop|nano|tako|")]
    [InlineData("POST", "a=huga&c=tako&a=takotyop", "b=zzz&hugahuga=413413&b=tama+negi", "huga,takotyop|zzz,tama negi|tako|413413")]
    public async Task Repeated_keys_are_the_elements_of_a_list_in_their_order(string verb, string query, string? form, string body) =>
        Assert.Equal(body, (await SendAsync(verb, $"/ArrayContract/Sources?{query}", Form, form)).Body);

    [Fact]
    public async Task One_name_in_query_and_form_is_a_duplicate() // LightNode joins them, the query first.
    {
        Assert.Equal("b form duplicate", (await PostAsync("/ArrayContract/Sources?b=nano", Form, "b=zzz&b=tamanegi")).BindingErrors());
        Assert.Equal("x form duplicate", (await PostAsync("/Hello/Echo?x=q", Form, "x=f")).BindingErrors());
        Assert.Equal("x body duplicate", (await PostAsync("/Hello/Echo?x=q", Json, "{\"x\":\"f\"}")).BindingErrors());
    }

    [Theory]
    [InlineData(null)]
    [InlineData("application/octet-stream")]
    [InlineData(Form)] // Bytes are the body of any media type.
    public async Task A_raw_body_is_bytes_as_they_are(string? mediaType)
    {
        const string Payload = "LightNode は HTTP の上の RPC です";
        var echo = await PostAsync("/TestContract/EchoByte", mediaType, Payload);
        Assert.Equal((200, "application/octet-stream", Payload), (echo.Status, echo.ContentType, echo.Body));
        Assert.Equal($"{Encoding.UTF8.GetByteCount(Payload)}", (await PostAsync("/TestContract/PostByte", mediaType, Payload)).Body);
    }
}

public sealed class InlineValueSourceTests(LightNodeApplication application) : ValueSourceTests(application, Placement.Inline);

public sealed class IsolatedValueSourceTests(LightNodeApplication application) : ValueSourceTests(application, Placement.Isolated);

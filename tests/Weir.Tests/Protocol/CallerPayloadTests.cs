using System.Security.Claims;
using System.Security.Principal;
using System.Text;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Protocol;

public sealed class CallerPayloadTests
{
    [Fact]
    public void A_caller_answers_after_its_way_as_before()
    {
        var user = new ClaimsPrincipal(
        [
            new ClaimsIdentity([new Claim("name", "ann 水 \ud83d\ude00 \"<&"), new Claim("role", "admin"), new Claim("age", "7", ClaimValueTypes.Integer32, "https://issuer")], "Bearer", "name", "role"),
            new ClaimsIdentity([new Claim("x", "")]),
            new ClaimsIdentity([new Claim(ClaimTypes.Name, "device")], "Certificate"),
        ]);
        var read = Pass(user);
        Assert.Equal(("ann 水 \ud83d\ude00 \"<&", true, "Bearer"), (read.Identity!.Name, read.Identity.IsAuthenticated, read.Identity.AuthenticationType));
        Assert.True(read.IsInRole("admin"));
        Assert.False(read.IsInRole("ann"));
        var all = read.Identities.ToArray();
        Assert.Equal([true, false, true], all.Select(static one => one.IsAuthenticated));
        Assert.Equal(["ann 水 \ud83d\ude00 \"<&", null, "device"], all.Select(static one => one.Name));
        var age = read.FindFirst("age")!;
        Assert.Equal(("7", ClaimValueTypes.Integer32, "https://issuer"), (age.Value, age.ValueType, age.Issuer));
        var name = read.FindFirst("name")!;
        Assert.Equal((ClaimValueTypes.String, ClaimsIdentity.DefaultIssuer), (name.ValueType, name.Issuer));
        Assert.Equal(user.Claims.Select(static one => one.ToString()), read.Claims.Select(static one => one.ToString()));
    }

    [Fact]
    public void Tokens_properties_and_actors_do_not_travel()
    {
        var identity = new ClaimsIdentity([new Claim("name", "ann")], "Bearer") { BootstrapContext = "the token", Actor = new ClaimsIdentity([new Claim("actor", "secret")]), Label = "label" };
        identity.Claims.Single().Properties["p"] = "property";
        var written = CallerPayload.Write(new ClaimsPrincipal(identity));
        Assert.Equal(
            $$"""{"identities":[{"authenticationType":"Bearer","nameType":"{{ClaimTypes.Name}}","roleType":"{{ClaimTypes.Role}}","claims":[{"type":"name","value":"ann"}]}]}""",
            Encoding.UTF8.GetString(written));
    }

    [Fact]
    public void Callers_without_an_identity_and_without_authentication_stay_so()
    {
        Assert.Null(Pass(new ClaimsPrincipal()).Identity);
        var anonymous = Pass(new ClaimsPrincipal(new ClaimsIdentity()));
        Assert.False(anonymous.Identity!.IsAuthenticated);
        Assert.Empty(anonymous.Claims);

        // This one is authenticated and has no type: without one it would not be.
        Assert.True(Pass(new ClaimsPrincipal(new GenericIdentity("ann"))).Identity!.IsAuthenticated);
        Assert.Equal("ann", Pass(new ClaimsPrincipal(new GenericIdentity("ann"))).Identity!.Name);
    }

    [Fact]
    public void Members_that_are_not_known_are_skipped()
    {
        var read = Read("""{"v":{"a":[1]},"identities":[{"claims":[{"value":"ann","new":[{}],"type":"n","valueType":null}],"authenticationType":"t","nameType":"n","label":null}],"w":null}""");
        Assert.Equal(("ann", true), (read.Identity!.Name, read.Identity.IsAuthenticated));
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"identities":null}""")]
    [InlineData("""{"identities":{}}""")]
    [InlineData("""{"identities":[1]}""")]
    [InlineData("""{"identities":[null]}""")]
    [InlineData("""{"identities":[],"identities":[]}""")]
    [InlineData("""{"identities":[{"claims":"x"}]}""")]
    [InlineData("""{"identities":[{"claims":["x"]}]}""")]
    [InlineData("""{"identities":[{"claims":[{"type":"x"}]}]}""")]
    [InlineData("""{"identities":[{"claims":[{"value":"x"}]}]}""")]
    [InlineData("""{"identities":[{"claims":[{"type":null,"value":"x"}]}]}""")]
    [InlineData("""{"identities":[{"claims":[{"type":1,"value":"x"}]}]}""")]
    [InlineData("""{"identities":[{"authenticationType":true}]}""")]
    [InlineData("""{"identities":[{"authenticationType":{}}]}""")]
    [InlineData("""{"identities":[]} {}""")]
    [InlineData("""{"identities":[""")]
    [InlineData("""{"identities":[{""")]
    [InlineData("""{"identities":[{"claims":[{"type":"a","value":"\ud800"}]}]}""")]
    public void What_is_no_caller_is_malformed(string json) =>
        Assert.Equal(FrameError.MalformedPayload, Assert.Throws<FrameException>(() => Read(json)).Error);

    [Fact]
    public void Every_cut_of_a_caller_is_malformed()
    {
        var written = CallerPayload.Write(new ClaimsPrincipal(new ClaimsIdentity([new Claim("a", "水"), new Claim("b", "c", "d", "e")], "t")));
        for (var length = 0; length < written.Length; length++)
        {
            Assert.Throws<FrameException>(() => CallerPayload.Read(written.AsSpan(0, length)));
        }
    }

    [Fact]
    public void Text_that_is_not_UTF8_and_nesting_without_an_end_are_malformed()
    {
        Assert.Throws<FrameException>(() => CallerPayload.Read([.. """{"identities":[{"nameType":"""u8, (byte)'"', 0xff, .. "\"}]}"u8]));
        Assert.Throws<FrameException>(() => Read($$"""{"x":{{new string('[', 60_000)}}"""));
    }

    [Fact]
    public void More_than_64_KB_are_malformed()
    {
        var least = """{"identities":[{"claims":[{"type":"a","value":""}]}]}""".Length;
        Read(Filled(CallerPayload.MostBytes - least));
        var failure = Assert.Throws<FrameException>(() => Read(Filled(CallerPayload.MostBytes - least + 1)));
        Assert.Contains("it has 65537 bytes, and at most 65536 are allowed", failure.Message, StringComparison.Ordinal);

        static string Filled(int length) => $$"""{"identities":[{"claims":[{"type":"a","value":"{{new string('x', length)}}"}]}]}""";
    }

    private static ClaimsPrincipal Pass(ClaimsPrincipal user) => CallerPayload.Read(CallerPayload.Write(user));

    private static ClaimsPrincipal Read(string json) => CallerPayload.Read(Encoding.UTF8.GetBytes(json));
}

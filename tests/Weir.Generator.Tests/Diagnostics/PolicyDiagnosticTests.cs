using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Diagnostics;

/// <summary>An attribute that would be ignored is reported where it stands: as an error where it matters.</summary>
public sealed class PolicyDiagnosticTests
{
    private const string Head =
        """
        using System.ComponentModel.DataAnnotations; using Microsoft.AspNetCore.Authorization; using Microsoft.AspNetCore.Cors; using Microsoft.AspNetCore.Http;
        using Microsoft.AspNetCore.Mvc; using Microsoft.AspNetCore.Mvc.Filters; using Microsoft.AspNetCore.Mvc.ModelBinding; using Microsoft.AspNetCore.RateLimiting;
        using Microsoft.Extensions.DependencyInjection; using Weir; using ServiceAttribute = Weir.ServiceAttribute;
        namespace Sample {

        """;

    public static TheoryData<string, string> Errors { get; } = new()
    {
        // WEIR1016: policies that generated code cannot construct.
        { "[Service] public class S { [{|WEIR1016:Own|}] public void M() { } private class OwnAttribute : AuthorizeAttribute; }", "S.M: [Own] cannot be copied to the endpoint, which would be open without it: generated code cannot access it" },
        { "[Service, {|WEIR1016:Own|}] public class S { public void M() { } private class OwnAttribute : Attribute, IAllowAnonymous; }", "S: [Own] cannot be copied" },
        { "public class Outer { private protected enum Kind { A } [AttributeUsage(AttributeTargets.All)] private protected class OwnAttribute(Kind x) : EnableCorsAttribute(x.ToString()); [Service] public class S { [{|WEIR1016:Own(Kind.A)|}] public void M() { } } }", "S.M: [Own] cannot be copied" },
        { "public class Outer { private protected enum Kind { A } [Service] public class S { [{|WEIR1016:Own(Kind.A)|}] public void M() { } } } public class OwnAttribute(object x) : EnableCorsAttribute(x.ToString()!);", "generated code cannot access its argument Kind" },
        { "[Service] public class S { [{|WEIR1016:Own(typeof(Inner[]))|}] public void M() { } private class Inner; } public class OwnAttribute(Type x) : AuthorizeAttribute(x.Name);", "generated code cannot access its argument Inner[]" },
        { "[Service] public class S { [{|WEIR1016:Own|}] public void M() { } } file class OwnAttribute : Attribute, IAuthorizationRequirementData { public IEnumerable<IAuthorizationRequirement> GetRequirements() => []; }", "S.M: [Own] cannot be copied" },

        // WEIR1017: what only MVC reads.
        { "[Service] public class S { [{|WEIR1017:HttpGet|}] public void A() { } [{|WEIR1017:HttpPut|}] public void B() { } [{|WEIR1017:HttpDelete|}] public void C() { } [{|WEIR1017:HttpPatch|}] public void D() { } [{|WEIR1017:HttpHead|}] public void E() { } [{|WEIR1017:HttpOptions|}] public void F() { } [{|WEIR1017:AcceptVerbs(\"GET\")|}] public void G() { } }", "S.A: [HttpGet] has no effect: write [Get]" },
        { "[Service] public class S { [{|WEIR1017:HttpGet(\"level\")|}] public void M() { } }", "write [Get(\"level\")]" },
        { "[Service] public class S { [{|WEIR1017:HttpGet(\"{id}\")|}] public void M() { } }", "write [Get(\"{id}\")]" },
        { "[Service] public class S { [{|WEIR1017:HttpPost|}] public void M() { } }", "write [Post]" },
        { "[Service, {|WEIR1017:Route(\"/stock\")|}] public class S { [{|WEIR1017:Route(\"all\")|}] public void M() { } }", "S: [Route] has no effect: write [Service(Route = \"/stock\")]" },
        { "[Service, {|WEIR1017:Route(\"api/[controller]\")|}] public class S { public void M() { } }", "write [Service(Route = \"…\")] with its template, and the name in place of [controller]" },
        { "[Service, {|WEIR1017:ApiController|}, {|WEIR1017:Area(\"a\")|}, {|WEIR1017:BindProperties|}] public class S { [{|WEIR1017:ActionName(\"x\")|}] public void M() { } [{|WEIR1017:NonAction|}] public void N() { } }", "S.N: [NonAction] has no effect: write [IgnoreOperation]" },
        { "[Service] public class S { [{|WEIR1017:ServiceFilter(typeof(S))|}, {|WEIR1017:ResponseCache|}, {|WEIR1017:RequireHttps|}, {|WEIR1017:Produces(\"text/plain\")|}, {|WEIR1017:ValidateAntiForgeryToken|}, {|WEIR1017:RequestFormLimits|}, {|WEIR1017:FormatFilter|}] public void M() { } }", "[ServiceFilter] has no effect: it is an MVC filter, and only MVC runs those; derive a filter from OperationFilterAttribute" },
        { "public class KeyAttribute : AuthorizeAttribute, IAuthorizationFilter { public void OnAuthorization(AuthorizationFilterContext context) { } } [Service] public class S { [{|WEIR1017:Key|}] public void M() { } }", "S.M: [Key] has no effect: it is an MVC filter" },
        { "public class TimedAttribute : ActionFilterAttribute; [Service, {|WEIR1017:Timed|}] public class S { public void M() { } }", "S: [Timed] has no effect" },
        { "[Service] public class S { [{|WEIR1017:Produces(\"text/plain\")|}] public string A() => \"\"; [{|WEIR1017:Produces(\"application/json\")|}] public int B() => 1; [{|WEIR1017:MediaType(\"image/png\")|}] public IAsyncEnumerable<int> C() => null!; [{|WEIR1017:Produces(\"image/png\")|}] public Microsoft.AspNetCore.Http.IResult D() => null!; }", "S.A: [Produces] has no effect: the result is not bytes, so the extension of the path or the Accept header chooses the format; remove it, or return byte[], ReadOnlyMemory<byte>" },
        { "[Service] public class S { [{|WEIR1017:Produces(\"image/png\", \"image/jpeg\")|}] public byte[] A() => []; }", "it names several media types, and bytes have one; write one" },
        { "[Service] public class S { [{|WEIR1017:Produces(typeof(int))|}] public byte[] A() => []; [{|WEIR1017:Produces(\"image/png\", Order = 1)|}] public byte[] B() => []; }", "Weir reads the media type alone; remove Order" },
        { "[Service] public class S { [{|WEIR1017:MediaType(\"image/*\")|}] public byte[] A() => []; [{|WEIR1017:MediaType(\"png\")|}] public byte[] B() => []; [{|WEIR1017:MediaType(\"\")|}] public byte[] C() => []; [{|WEIR1017:MediaType(\"a/b, c/d\")|}] public byte[] D() => []; [{|WEIR1017:MediaType(\"a/b; c\")|}] public byte[] E() => []; [{|WEIR1017:MediaType(\"a/b\\r\\nX: y\")|}] public byte[] F() => []; }", "'image/*' is not one media type; write one without wildcards, as in MediaType(\"image/png\")" },
        { "[Service] public class S { [{|WEIR1017:MediaType(\"application/json\")|}] public byte[] A() => []; [{|WEIR1017:MediaType(\"text/event-stream\")|}] public IAsyncEnumerable<byte[]> B() => null!; }", "application/json is the form of the result in which the bytes are base64; return Stream to send JSON that is written already" },
        { "[Service] public class S { [MediaType(\"a/b\"), {|WEIR1017:Produces(\"c/d\")|}] public byte[] A() => []; }", "another attribute says the media type already, and a result has one; remove one of them" },
        { "[{|WEIR1017:Produces(\"image/png\")|}, Service] public class S { public byte[] A() => []; }", "write it on the methods whose results are bytes" },
        { "[Service] public interface IFoo { [MediaType(\"image/png\")] Task<byte[]> M(); } [Service] public class Foo : IFoo { [{|WEIR1008:MediaType(\"image/jpeg\")|}] public Task<byte[]> M() => null!; }", "[MediaType] has no meaning here: put it on the method of the interface" },
        { "[Service] public interface IFoo { [{|WEIR1017:HttpGet|}] Task M(); } [Service] public class Foo : IFoo { [{|WEIR1008:Produces(\"text/plain\")|}] public Task M() => Task.CompletedTask; }", "IFoo.M: [HttpGet] has no effect" },
        { "[{|WEIR1017:Route(\"x\")|}] public class Base { [{|WEIR1017:HttpGet|}] public virtual void M() { } } [Service] public class A : Base; [Service] public class B : Base { public override void M() { } }", "Base.M: [HttpGet] has no effect" },

        // WEIR1017: what chooses where parameters come from.
        { "public record P(int X); [Service] public class S { public void N([{|WEIR1017:ModelBinder|}] int h, [{|WEIR1017:Bind(\"x\")|}] int i) { } }", "S.N(h): [ModelBinder] has no effect: only MVC reads it" },
        { "public class P { [{|WEIR1017:BindNever|}] public int Admin { get; set; } [{|WEIR1017:FromHeader|}] public string Name { get; set; } = \"\"; } public record Q(P[] Inner); [Service] public class S { public void M(Q q) { } public P N() => new(); }", "P.Admin: [BindNever] has no effect: only MVC reads it" },

        // WEIR1018: anonymous callers let in past a policy.
        { "[Service, AllowAnonymous] public class S { [{|WEIR1018:Authorize|}] public void M() { } public void N() { } }", "S/M: [Authorize] on S.M would have no effect, because [AllowAnonymous] on S is not nearer to the operation and allows every caller" },
        { "[Service] public class S { [{|WEIR1018:Authorize|}, AllowAnonymous] public void M() { } }", "because [AllowAnonymous] on S.M is not nearer" },
        { "[Service] public interface IFoo { [AllowAnonymous] Task M(); } [Service, {|WEIR1018:Authorize(\"x\")|}] public class Foo : IFoo { public Task M() => Task.CompletedTask; }", "Foo/M: [Authorize] on Foo would have no effect, because [AllowAnonymous] on IFoo.M" },
        { "[AllowAnonymous] public class Base; [Service, {|WEIR1018:Authorize|}] public class S : Base { public void M() { } }", "because [AllowAnonymous] on Base" },
        { "public class Base { [AllowAnonymous] public virtual void M() { } } [Service] public class S : Base { [{|WEIR1018:Authorize|}] public override void M() { } }", "because [AllowAnonymous] on Base.M" },
    };

    public static TheoryData<string, string> Warnings { get; } = new()
    {
        { "[Service] public class S { [{|WEIR1019:Own|}] public void M() { } private class OwnAttribute : Attribute; }", "S.M: [Own] is not in the endpoint's metadata: generated code cannot access it" },
        { "[Service] public class S { public void M() { } [{|WEIR1021:Authorize|}] public static void A() { } [{|WEIR1021:Authorize|}] internal void B() { } [IgnoreOperation, {|WEIR1021:EnableRateLimiting(\"x\")|}] public void C() { } public int D { [{|WEIR1021:Authorize|}] get; set; } }", "S.A is not served, so [Authorize] has no effect there" },
        { "[Service(Http = false), {|WEIR1021:Authorize|}] public class S { [{|WEIR1021:EnableRateLimiting(\"x\")|}] public void M() { } public void N() { } }", "S.M is not served" },
        { "public class S { [{|WEIR1021:Authorize|}] public void M() { } } [Service] public class T : S { public new void M() { } [Authorize] public void N() { } }", "S.M is not served" },
        { "[Service] public interface IFoo { Task M(); [IgnoreOperation, {|WEIR1021:Authorize|}] Task N(); } public interface IOther { [{|WEIR1021:Authorize|}] Task M(); } [Service] public class Foo : IFoo, IOther { public Task M() => Task.CompletedTask; [{|WEIR1021:AllowAnonymous|}] public Task N() => Task.CompletedTask; [{|WEIR1021:Authorize|}] public Task O() => Task.CompletedTask; }", "IOther.M is not served" },
    };

    public static TheoryData<string> Right { get; } = new()
    {
        "[Service, Authorize] public class S { [AllowAnonymous] public void M() { } [Authorize(\"x\")] public void N() { } }",
        "[Service] public interface IFoo { [Authorize] Task M(); } [Service] public class Foo : IFoo { [AllowAnonymous] public Task M() => Task.CompletedTask; }",
        "[Service] public interface IFoo { [AllowAnonymous] Task M(); } [Service] public class Foo : IFoo { public Task M() => Task.CompletedTask; }",
        "[Service] public interface IFoo { [Produces(\"image/png\")] Task<byte[]> A(); [MediaType(\"text/csv; charset=utf-8; header=\\\"a b\\\"\")] IAsyncEnumerable<ReadOnlyMemory<byte>> B(); [MediaType(\"application/json\")] Task<System.IO.Stream> C(); } [Service] public class Foo : IFoo { public Task<byte[]> A() => null!; public IAsyncEnumerable<ReadOnlyMemory<byte>> B() => null!; public Task<System.IO.Stream> C() => null!; }",
        "[Service, Authorize] public class S { [RequestSizeLimit(5), Consumes(\"text/plain\"), SkipStatusCodePages] public void M() { } [DisableRequestSizeLimit, ProducesResponseType(404), ApiExplorerSettings(GroupName = \"g\")] public void N() { } }",
        "public class SmallAttribute() : RequestSizeLimitAttribute(10); [Service] public class S { [Small, EndpointSummary(\"x\"), Tags(\"a\", \"b\")] public void M() { } }",
        "public class P { [Range(1, 2)] public int X { get; set; } } [Service] public class S { public P M() => new(); }",
    };

    [Theory]
    [MemberData(nameof(Errors))]
    public void What_matters_and_would_be_ignored_is_an_error(string marked, string message) => AssertReported(marked, message, DiagnosticSeverity.Error);

    [Theory]
    [MemberData(nameof(Warnings))]
    public void What_else_would_be_ignored_is_a_warning(string marked, string message) => AssertReported(marked, message, DiagnosticSeverity.Warning);

    [Theory]
    [MemberData(nameof(Right))]
    public void What_is_honoured_compiles_without_a_word(string source)
    {
        var output = Driver.Run(Driver.Library(Head + source + "\n}"));

        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
    }

    [Fact]
    public void A_policy_of_a_contract_that_this_assembly_cannot_name_is_an_error()
    {
        var contracts = Driver.Run(Driver.Library(Head + """
            internal class OwnAttribute : AuthorizeAttribute;
            [Service] public interface IFoo { [Own] Task M(); }
            [Service, Isolated("python")] public interface IBar { Task M(); }
            }
            """));
        Assert.Empty(contracts.Reported);
        var output = Driver.Run(Driver.Compilation("Sample", OutputKind.DynamicallyLinkedLibrary, [contracts.Reference()], "using Weir; [Service] public class Foo : Sample.IFoo { public Task M() => Task.CompletedTask; }"));

        var reported = Assert.Single(output.Reported);
        Assert.Equal(("WEIR1016", "Source1.cs"), (reported.Id, reported.Location.GetLineSpan().Path));
    }

    [Fact]
    public void A_policy_whose_assembly_is_not_referenced_is_an_error()
    {
        var contracts = Driver.Run(Driver.Library(Head + "[Service] public interface IFoo { [Authorize] Task M(); }\n}"));
        var compilation = Driver.Compilation("Sample", OutputKind.DynamicallyLinkedLibrary, [contracts.Reference()], "using Weir; [Service] public class Foo : Sample.IFoo { public Task M() => Task.CompletedTask; }");
        var poor = compilation.RemoveReferences(compilation.References.Where(static one => one.Display!.Contains("Microsoft.AspNetCore", StringComparison.Ordinal)));

        var reported = Assert.Single(Driver.Run(poor).Reported);
        Assert.Equal("WEIR1016", reported.Id);
        Assert.Contains("its type is not found", reported.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    private static void AssertReported(string marked, string message, DiagnosticSeverity severity)
    {
        var markup = Markup.Parse(Head + marked + "\n}");
        var output = Driver.Run(Driver.Library(markup.Source));

        Assert.Equal(
            markup.Places.OrderBy(static one => one.Span.Start),
            output.Reported.Select(static one => (one.Id, one.Location.SourceSpan)).OrderBy(static one => one.SourceSpan.Start));
        Assert.Contains(output.Reported, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
        Assert.All(output.Reported, one => Assert.Equal(severity, one.Severity));
        Assert.DoesNotContain(output.Compiled, static one => one.Severity == DiagnosticSeverity.Error);
    }
}

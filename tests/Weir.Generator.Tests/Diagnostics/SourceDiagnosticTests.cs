using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Diagnostics;

/// <summary>An attribute that says where a parameter's value is, where that is impossible.</summary>
public sealed class SourceDiagnosticTests
{
    private const string Head =
        """
        using System.Security.Claims; using System.IO; using System.IO.Pipelines; using Microsoft.AspNetCore.Http; using Microsoft.AspNetCore.Mvc; using Microsoft.AspNetCore.Mvc.ModelBinding;
        using Microsoft.Extensions.DependencyInjection; using Microsoft.Extensions.Logging; using Weir; using ServiceAttribute = Weir.ServiceAttribute;
        namespace Sample {

        """;

    public static TheoryData<string, string> Errors { get; } = new()
    {
        { "public record P(int X); [Service] public class S { public void M([FromQuery] P {|WEIR1001:p|}, [FromHeader] P[] {|WEIR1001:q|}, [FromForm] P {|WEIR1001:r|}) { } }", "it is P, and [FromQuery] reads numbers, text and lists of them" },
        { "[Service] public class S { [Get(\"{id}\")] public void M([FromRoute] int[] {|WEIR1001:ids|}, int id) { } }", "it is int[], which a path cannot express" },
        { "[Service] public class S { public void M([FromQuery, FromHeader] int {|WEIR1001:x|}) { } }", "it has [FromQuery] and [FromHeader], and a value has one source; remove one" },
        { "[Service] public class S { public void M([FromHeader(Name = \"X Y\")] int {|WEIR1001:x|}, [FromQuery(Name = \"\")] int {|WEIR1001:y|}) { } }", "'X Y' cannot be the name of a header" },
        { "[Service] public class S { public void M([FromQuery(Name = \"b\")] int a, int {|WEIR1001:b|}, [FromHeader(Name = \"h\")] int c, [FromHeader(Name = \"H\")] int {|WEIR1001:d|}, [FromHeader] int b2, [FromForm(Name = \"B\")] int {|WEIR1001:e|}) { } }", "callers would write 'b' for 'a' too; rename one" },
        { "public record P(int X); [Service] public class S { public void M([FromBody] P p, [FromBody] int {|WEIR1001:q|}, P {|WEIR1001:r|}) { } }", "'p' is the request's body already; take a record with both" },
        { "public record P(int X); [Service] public class S { public void M([FromForm] int a, P {|WEIR1001:b|}, byte[] {|WEIR1001:c|}) { } }", "it is the request's body, which is a form because of 'a'" },
        { "[Service] public class S { [Get] public void M([FromBody] int {|WEIR1001:a|}) { } [Get] public void N([FromForm] int {|WEIR1001:a|}) { } }", "it is marked [FromBody], and a GET request has no body" },
        { "[Service] public class S { public void M([FromBody(EmptyBodyBehavior = EmptyBodyBehavior.Allow)] string {|WEIR1001:a|}) { } public void N([FromBody(EmptyBodyBehavior = EmptyBodyBehavior.Disallow)] string? {|WEIR1001:a|}) { } }", "[FromBody] lets the body be empty, and string cannot be null; write string?" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{id}\")|}] public void M([FromQuery] int id) { } }", "'id' is marked [FromQuery], so the path does not supply it" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{id}\")|}] public void M([FromRoute(Name = \"key\")] int id) { } }", "no parameter of the method is named 'id'" },
        { "[Service] public interface IFoo { Task M([FromQuery] int x); } [Service] public class Foo : IFoo { public Task M([{|WEIR1008:FromHeader|}] int x) => Task.CompletedTask; }", "[FromHeader] has no meaning here: put it on the parameter of the interface's method" },
        { "public record P([{|WEIR1017:FromHeader|}] string Name); [Service] public class S { public void M(P p) { } }", "it is a member of a JSON object, which has one source" },
    };

    public static TheoryData<string> Right { get; } = new()
    {
        "[Service] public class S { [Get(\"{id}\")] public void M([FromRoute] int id, [FromQuery(Name = \"id\")] int? other, [FromHeader(Name = \"id\")] string[] third) { } }",
        "[Service] public class S { [Get(\"{key}\")] public void M([FromRoute(Name = \"key\")] int id) { } public Task N([FromBody] IAsyncEnumerable<int> items, [FromHeader] string tenant) => null!; }",
        "public record P(int X); [Service] public class S { public void M([FromBody] P? p, [FromServices] IServiceProvider services) { } public void N([FromBody(EmptyBodyBehavior = EmptyBodyBehavior.Default)] int x) { } }",
        "[Service] public interface IFoo { Task<int> M([FromQuery(Name = \"q\")] int x); } [Service(typeof(IFoo))] public class Foo([FromKeyedServices(5)] IComparable other) { public int M(int x, [FromKeyedServices(\"a\")] IComparable c) => c.CompareTo(other); }",
    };

    [Theory]
    [MemberData(nameof(Errors))]
    public void An_impossible_source_is_an_error_where_it_stands(string markup, string message)
    {
        AssertReported(markup, message);
    }

    [Theory]
    [MemberData(nameof(Right))]
    public void A_possible_one_compiles(string source)
    {
        var output = Driver.Run(Driver.Library(Head + source + " }"));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
    }

    private static void AssertReported(string marked, string message)
    {
        var markup = Markup.Parse(Head + marked + " }");
        var output = Driver.Run(Driver.Library(markup.Source));
        Assert.Equal(
            markup.Places.OrderBy(static one => one.Span.Start),
            output.Reported.Select(static one => (one.Id, one.Location.SourceSpan)).OrderBy(static one => one.SourceSpan.Start));
        Assert.Contains(output.Reported, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
    }
}

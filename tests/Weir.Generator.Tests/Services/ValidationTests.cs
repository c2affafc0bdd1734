using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>What validation attributes refuse, where they are, and in which order they are evaluated.</summary>
public sealed class ValidationTests
{
    // A library that does not know Weir.
    private const string Models =
        """
        using System.Collections.Immutable;
        using System.ComponentModel;
        using System.ComponentModel.DataAnnotations;
        using System.Text.Json.Serialization;
        namespace Models;

        public sealed record Person(
            [property: JsonPropertyName("full_name")][StringLength(5, ErrorMessage = "{0} has at most {1} characters.")][Display(Name = "Full name")] string Name,
            [Range(0, 150)] int Age,
            Address? Home = null,
            Address[]? Others = null);

        public class Address
        {
            [Required, RegularExpression("[0-9]{5}")] public string? Zip { get; set; }
            [MaxLength(2)] public List<string>? Lines { get; set; }
            [JsonIgnore, Required] public string? Hidden { get; set; }
        }

        public sealed class EvenAttribute : ValidationAttribute
        {
            public EvenAttribute() : base("{0} must be even.") { }
            public override bool IsValid(object? value) => value is not int number || number % 2 == 0;
        }

        [AttributeUsage(AttributeTargets.Class)]
        public sealed class OrderedAttribute : ValidationAttribute
        {
            protected override ValidationResult? IsValid(object? value, ValidationContext context) =>
                value is Span { From: > 100 } ? new ValidationResult("far", ["From", "Other"]) : ValidationResult.Success;
        }

        [Ordered]
        public class Span : IValidatableObject
        {
            [Even] public int From { get; set; }
            public int To { get; set; }
            public IEnumerable<ValidationResult> Validate(ValidationContext context)
            {
                if (From > To) yield return new ValidationResult("ends before it begins", [nameof(To)]);
                if (From == To) yield return new ValidationResult("is empty");
            }
        }

        public class Base { [Required] public virtual string? Name { get; set; } }
        public class Derived : Base { [MinLength(2)] public override string? Name { get; set; } }

        public class Tree { [Range(1, 9)] public int Value { get; set; } public Tree? Left { get; set; } public List<Tree> More { get; set; } = []; }

        public struct Point { [Range(0, 1)] public int X { get; set; } }
        public class Shapes { public Point One { get; set; } public Point? Two { get; set; } public Point[][] Grid { get; set; } = []; }

        public class Plain { public int X { get; set; } }
        public class NeedsService : IValidatableObject
        {
            public int X { get; set; }
            public IEnumerable<ValidationResult> Validate(ValidationContext context) =>
                context.GetService(typeof(IFormatProvider)) is null ? [new ValidationResult("no service")] : [];
        }
        """;

    private const string Services =
        """
        using System.ComponentModel.DataAnnotations;
        using Models;
        using Weir;
        namespace Sample;

        [Service] public sealed class S
        {
            public void Scalars([Range(1, 5)] int count, [Required, EmailAddress] string? mail, [Even] int even = 0) { }
            public void Lists([MaxLength(2)] int[] numbers, [Length(1, 2, ErrorMessage = "one or two")] List<string>? words) { }
            public void One(Person person) { }
            public void Two(Person one, Person two, [Range(1, 5)] int x) { }
            public void Many(Person[] people) { }
            public void Range(Span span) { }
            public void Inherited(Derived derived) { }
            public void Recursive(Tree tree) { }
            public void Structures(Shapes shapes) { }
            public void Asks(NeedsService asks) { }
            public void Nothing(Plain plain, int x, string[] names) { }
            public async Task<int> Stream(IAsyncEnumerable<Person> people) { var count = 0; await foreach (var one in people) count++; return count; }
        }
        """;

    private static readonly Served Served = Load();

    [Theory]
    [InlineData("S/Scalars", """{"count":3,"mail":"a@b.c","even":4}""", "")]
    [InlineData("S/Scalars", """{"count":6,"mail":"x","even":3}""", "count (body): The field count must be between 1 and 5.|mail (body): The mail field is not a valid e-mail address.|even (body): even must be even.")]
    [InlineData("S/Scalars", """{"count":3,"mail":""}""", "mail (body): The mail field is required.")]
    [InlineData("S/Scalars", """{"count":3}""", "mail (request): The mail field is required.")]
    [InlineData("S/Scalars", """{"count":"x","mail":"x"}""", "count (body): invalid|mail (body): The mail field is not a valid e-mail address.")]
    [InlineData("S/Scalars", """{"mail":"x"}""", "count (request): missing|mail (body): The mail field is not a valid e-mail address.")]
    [InlineData("S/Lists", """{"numbers":[1,2,3],"words":[]}""", "numbers (body): The field numbers must be a string or array type with a maximum length of '2'.|words (body): one or two")]
    [InlineData("S/Lists", """{"numbers":[1,2],"words":null}""", "")]
    [InlineData("S/One", """{"person":{"full_name":"Alexander","age":151,"home":{"zip":"1","lines":["a","b","c"]},"others":[{"zip":"12345"},{}]}}""",
        "person.full_name (body): Full name has at most 5 characters.|person.age (body): The field Age must be between 0 and 150.|person.home.zip (body): The field Zip must match the regular expression '[0-9]{5}'.|person.home.lines (body): The field Lines must be a string or array type with a maximum length of '2'.|person.others[1].zip (body): The Zip field is required.")]
    [InlineData("S/Two", """{"one":{"full_name":1,"age":151},"two":{"full_name":"A","age":151},"x":9}""", "one.full_name (body): invalid|two.age (body): The field Age must be between 0 and 150.|x (body): The field x must be between 1 and 5.")]
    [InlineData("S/Many", """{"people":[{"full_name":"A","age":1},{"full_name":"A","age":-1}]}""", "people[1].age (body): The field Age must be between 0 and 150.")]
    [InlineData("S/Inherited", """{"derived":{"name":"x"}}""", "derived.name (body): The field Name must be a string or array type with a minimum length of '2'.")]
    [InlineData("S/Inherited", """{"derived":{"name":""}}""", "derived.name (body): The Name field is required.")]
    [InlineData("S/Recursive", """{"tree":{"value":1,"left":{"value":0,"more":[]},"more":[{"value":1,"more":[{"value":10,"more":[]}]}]}}""", "tree.left.value (body): The field Value must be between 1 and 9.|tree.more[0].more[0].value (body): The field Value must be between 1 and 9.")]
    [InlineData("S/Structures", """{"shapes":{"one":{"x":2},"two":{"x":3},"grid":[[],[{"x":1},{"x":4}]]}}""", "shapes.one.x (body): The field X must be between 0 and 1.|shapes.two.x (body): The field X must be between 0 and 1.|shapes.grid[1][1].x (body): The field X must be between 0 and 1.")]
    [InlineData("S/Asks", """{"asks":{"x":1}}""", "asks (body): no service")]
    public void Attributes_are_evaluated_by_their_own_code_and_listed_beside_the_binding_errors(string operation, string json, string expected) =>
        Assert.Equal(expected, string.Join('|', Validated(operation, json).Select(Shown)));

    [Theory]
    [InlineData("""{"span":{"from":2,"to":4}}""", "")]
    [InlineData("""{"span":{"from":3,"to":1}}""", "span.from: From must be even.")]
    [InlineData("""{"span":{"from":102,"to":1}}""", "span.from: far|span.Other: far")]
    [InlineData("""{"span":{"from":4,"to":2}}""", "span.to: ends before it begins")]
    [InlineData("""{"span":{"from":4,"to":4}}""", "span: is empty")]
    public void The_type_is_asked_after_its_members_and_the_object_itself_last(string json, string expected) =>
        Assert.Equal(expected, string.Join('|', Validated("S/Range", json).Select(static error => $"{error.Name}: {error.Expected}")));

    [Fact]
    public void An_attribute_sees_the_services_of_the_call()
    {
        var binding = Served.Json("S/Asks", """{"asks":{"x":1}}""");
        var errors = new BindingErrorList();
        binding.Call.Validate(new ArgumentValidator(errors, new OneService()));

        Assert.Empty(errors.ToArray());
    }

    [Fact]
    public void An_operation_without_attributes_is_not_validated()
    {
        Assert.False(Served.Operation("S/Nothing").HasValidation);
        Assert.True(Served.Operation("S/Recursive").HasValidation);
        Assert.Empty(Validated("S/Nothing", """{"plain":{"x":1},"x":1,"names":[]}"""));
    }

    [Fact]
    public void Objects_from_code_that_are_nested_too_deep_are_an_error()
    {
        var (call, tree) = CreateTree();
        for (var depth = 1; depth <= 64; depth++)
        {
            tree = AddLeft(tree, 1);
        }

        var errors = new BindingErrorList();
        call.Validate(new ArgumentValidator(errors, null));

        var error = Assert.Single(errors.ToArray());
        Assert.Equal(("code", "validation", "Values are nested more than 64 deep."), (error.Source, error.Reason, error.Expected));
    }

    [Fact]
    public void An_object_that_many_others_share_or_that_contains_itself_is_judged_once()
    {
        var (call, root) = CreateTree();
        var tree = root;
        for (var depth = 1; depth < 50; depth++)
        {
            // Two ways from each object to the next: 2 to the power of 49 to the last one.
            var left = AddLeft(tree, depth == 49 ? 10 : 1);
            ((System.Collections.IList)tree.GetType().GetProperty("More")!.GetValue(tree)!).Add(left);
            tree = left;
        }

        tree.GetType().GetProperty("Left")!.SetValue(tree, root);
        var errors = new BindingErrorList();
        call.Validate(new ArgumentValidator(errors, null));

        Assert.EndsWith("left.value (code): The field Value must be between 1 and 9.", Assert.Single(errors.ToArray()).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Items_of_a_streamed_request_are_validated_one_by_one()
    {
        var call = Served.Create("S/Stream");
        call.TakeItems(new ListedItems("""{"full_name":"A","age":1}""", """{"full_name":"A","age":151}"""));

        var thrown = await Assert.ThrowsAsync<BindingException>(async () => await call.InvokeAsync(call.Operation.Service.CreateInstance(NoServices.Instance), CancellationToken.None));

        Assert.Equal("people[1].age (body): The field Age must be between 0 and 150.", Assert.Single(thrown.Errors).ToString());
        Assert.Equal("The argument is not valid: people[1].age (body): The field Age must be between 0 and 150.", thrown.Message);
    }

    [Fact]
    public void A_reader_that_is_used_again_does_not_know_the_sources_of_the_last_call()
    {
        var operation = Served.Operation("S/Scalars");
        var errors = new BindingErrorList();
        var reader = new JsonArgumentReader("""{"count":3,"mail":"a@b.c"}"""u8.ToArray(), "body", errors);
        operation.CreateCall(operation).Bind(reader);
        reader.Reset("""{"count":3}"""u8.ToArray());
        var call = operation.CreateCall(operation);
        call.Bind(reader);
        call.Validate(new ArgumentValidator(errors, null, reader));

        Assert.Equal("request", Assert.Single(errors.ToArray()).Source);
    }

    public static TheoryData<string, string> Refused { get; } = new()
    {
        { "public class P { public int A { get; set; } [{|WEIR1020:Compare(\"A\")|}] public int B { get; set; } } [Service] public class S { public void M(P p) { } }", "P.B: [Compare] cannot be evaluated: it reads the other member by reflection; implement IValidatableObject" },
        { "[Service] public class S { public void M([{|WEIR1020:CustomValidation(typeof(S), \"V\")|}] int x) { } }", "S.M(x): [CustomValidation] cannot be evaluated: it calls its method by reflection" },
        { "[Service] public class S { public void M([{|WEIR1020:Range(typeof(decimal), \"1\", \"2\")|}] decimal x) { } }", "[Range] cannot be evaluated: it converts its limits by reflection; write numbers" },
        { "public class R { public static string T => \"\"; } [Service] public class S { public void M([{|WEIR1020:Required(ErrorMessageResourceType = typeof(R), ErrorMessageResourceName = \"T\")|}] string x) { } }", "it reads its message by reflection; set ErrorMessage" },
        { "public class P { [{|WEIR1020:Display(Name = \"T\", ResourceType = typeof(P))|}, Required] public string? X { get; set; } } [Service] public class S { public void M(P p) { } }", "P.X: [Display] cannot be evaluated: it reads the name by reflection" },
        { "[Service] public class S { public void M([{|WEIR1020:MaxLength(3)|}] ReadOnlyMemory<byte> x) { } }", "it reads the length of ReadOnlyMemory<byte> by reflection; take T[] or List<T>" },
        { "[AttributeUsage(AttributeTargets.All)] file class OwnAttribute : ValidationAttribute; [Service] public class S { public void M([{|WEIR1020:Own|}] int x) { } }", "[Own] cannot be evaluated: generated code cannot access it" },
        { "[Service] public class S { public Task M([{|WEIR1020:Required|}] IAsyncEnumerable<int> x) => Task.CompletedTask; }", "the items arrive while the operation runs" },
        { "public class P { [System.Text.Json.Serialization.JsonIgnore, {|WEIR1020:Range(1, 2)|}] public int X; public int Y { get; set; } } [Service] public class S { public void M(P p) { } }", "P.X: [Range] cannot be evaluated: only public properties are validated" },
        { "[Service] public interface IFoo { Task M([Required] string x); } [Service] public class Foo : IFoo { public Task M([{|WEIR1008:Required|}] string x) => Task.CompletedTask; }", "[Required] has no meaning here: put it on the parameter of the interface's method" },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void What_cannot_be_evaluated_is_an_error_that_says_what_to_write(string marked, string message)
    {
        var markup = Markup.Parse($"using System.ComponentModel.DataAnnotations; using Weir; namespace Sample {{ {marked} }}");
        var output = Driver.Run(Driver.Library(markup.Source));

        Assert.Equal(markup.Places, output.Reported.Select(static one => (one.Id, one.Location.SourceSpan)));
        Assert.Contains(output.Reported, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
        Assert.All(output.Reported, static one => Assert.Equal(DiagnosticSeverity.Error, one.Severity));
        Assert.DoesNotContain(output.Compiled, static one => one.Severity == DiagnosticSeverity.Error);
    }

    private static Served Load()
    {
        var models = new GeneratorOutput(default, Driver.Compilation("Models", OutputKind.DynamicallyLinkedLibrary, [], Models));
        var reference = models.Reference();
        var assembly = models.Load();
        AppDomain.CurrentDomain.AssemblyResolve += (_, wanted) => wanted.Name.StartsWith("Models,", StringComparison.Ordinal) ? assembly : null;
        return new Served(Driver.Run(Driver.Compilation("Sample", OutputKind.DynamicallyLinkedLibrary, [reference], Services)).LoadCatalog());
    }

    private static (Call Call, object Tree) CreateTree()
    {
        var call = Served.Create("S/Recursive");
        var field = call.GetType().GetField("Argument_tree", System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.NonPublic)!;
        var tree = Activator.CreateInstance(field.FieldType)!;
        field.FieldType.GetProperty("Value")!.SetValue(tree, 1);
        field.SetValue(call, tree);
        return (call, tree);
    }

    private static object AddLeft(object tree, int value)
    {
        var left = Activator.CreateInstance(tree.GetType())!;
        tree.GetType().GetProperty("Value")!.SetValue(left, value);
        tree.GetType().GetProperty("Left")!.SetValue(tree, left);
        return left;
    }

    private static IReadOnlyList<BindingError> Validated(string operation, string json)
    {
        var call = Served.Create(operation);
        var errors = new BindingErrorList();
        var reader = new JsonArgumentReader(System.Text.Encoding.UTF8.GetBytes(json), "body", errors);
        call.Bind(reader);
        call.Validate(new ArgumentValidator(errors, NoServices.Instance, reader));
        return errors.ToArray();
    }

    private static string Shown(BindingError error) => error.Reason == BindingErrorReason.Validation ? error.ToString() : $"{error.Name} ({error.Source}): {error.Reason}";

    private sealed class OneService : IServiceProvider
    {
        public object? GetService(Type serviceType) => serviceType == typeof(IFormatProvider) ? CultureInfo.InvariantCulture : null;
    }
}

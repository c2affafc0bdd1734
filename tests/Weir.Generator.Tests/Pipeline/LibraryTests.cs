using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Pipeline;

/// <summary>A library has an <c>AddWeir</c> only to say where it has to be called.</summary>
public sealed class LibraryTests
{
    private const string File = "AddWeirInLibrary.g.cs";

    private const string Calling =
        """
        using Microsoft.Extensions.DependencyInjection;
        internal static class Company
        {
            internal static IServiceCollection Add(IServiceCollection services) => services.AddWeir(static weir => weir.MaxWorkers = 1);
        }
        """;

    private const string Program =
        """
        using Microsoft.Extensions.DependencyInjection;
        internal static class Program
        {
            private static void Main() => new ServiceCollection().AddWeir();
        }
        """;

    [Fact]
    public void A_call_in_a_library_is_an_error_that_says_where_to_call_it()
    {
        var output = Run(Library(Calling));
        Assert.Empty(output.Reported);

        var error = Assert.Single(output.Compiled);
        Assert.Equal(("WEIR1022", DiagnosticSeverity.Error), (error.Id, error.Severity));
        Assert.Equal("https://github.com/weir-dotnet/weir/blob/main/docs/diagnostics/WEIR1022.md", error.Descriptor.HelpLinkUri);
        Assert.Equal("services.AddWeir(static weir => weir.MaxWorkers = 1)", error.Location.SourceTree!.ToString().Substring(error.Location.SourceSpan.Start, error.Location.SourceSpan.Length));
        var message = error.GetMessage(System.Globalization.CultureInfo.InvariantCulture);
        Assert.Contains("Some.Library is a library", message, StringComparison.Ordinal);
        Assert.Contains("call builder.Services.AddWeir() in the application's Program.cs", message, StringComparison.Ordinal);
        Assert.Contains("<WeirApplication>true</WeirApplication>", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_library_that_does_not_call_it_compiles_and_shows_nothing_of_it()
    {
        var output = Run(Library("[Weir.Service] public sealed class Own { public void Go() { } }"));

        Assert.Empty(output.Compiled);
        Assert.Contains(File, Files(output));
        Assert.DoesNotContain(output.Load().GetExportedTypes(), static type => type.Namespace == "Microsoft.Extensions.DependencyInjection");
    }

    [Theory]
    [InlineData("true")]
    [InlineData("false")]
    public void The_property_decides_for_both(string value)
    {
        var output = Run(Library(""), new Dictionary<string, string> { ["build_property.WeirApplication"] = value });

        Assert.Empty(output.Compiled);
        Assert.DoesNotContain(File, Files(output));
        Assert.Equal(value == "true", Files(output).Contains("AddWeir.g.cs"));
    }

    [Fact]
    public void An_application_has_its_own_and_no_error()
    {
        var output = Run(Application(Program));

        Assert.Empty(output.Compiled);
        Assert.DoesNotContain(File, Files(output));
    }

    [Fact]
    public void A_library_without_execution_gets_nothing() => Assert.DoesNotContain(File, Files(Driver.Run(Driver.Library(""))));

    [Fact]
    public void A_method_of_this_name_in_the_library_is_left_alone()
    {
        var output = Run(Library("Some.Library", Calling, """
            namespace Mine
            {
                using Microsoft.Extensions.DependencyInjection;
                internal static class Extensions
                {
                    internal static IServiceCollection AddWeir(this IServiceCollection services, Action<Weir.WeirOptions> configure) => services.Configure(configure);
                }
            }
            """, "global using Mine;"));

        Assert.Empty(output.Compiled);
        Assert.DoesNotContain(File, Files(output));
    }

    [Fact]
    public void An_application_that_sees_the_internals_of_libraries_calls_its_own()
    {
        var one = Run(Library("One", VisibleTo("App"))).Reference();
        var two = Run(Library("Two", VisibleTo("App"))).Reference();

        Assert.Empty(Run(Application(Program, one, two)).Compiled);
    }

    [Fact]
    public void A_test_project_that_sees_the_internals_of_a_library_calls_its_own()
    {
        var library = Run(Library("Company", VisibleTo("App"), "public sealed class Thing;")).Reference();
        var output = Run(Application(Program, library));

        Assert.Empty(output.Compiled);
        Assert.Contains("AddWeir.g.cs", Files(output));
    }

    [Fact]
    public void A_library_that_sees_the_internals_of_an_application_and_of_a_library_gets_the_one_error()
    {
        var application = Run(Application(Program, VisibleTo("Some.Library"))).Reference();
        var library = Run(Library("Other", VisibleTo("Some.Library"))).Reference();
        var output = Run(Library(Calling).AddReferences(application, library));

        Assert.Equal("WEIR1022", Assert.Single(output.Compiled).Id);
    }

    private static string VisibleTo(string name) => $"[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"{name}\")]";

    private static CSharpCompilation Library(string source) => Library("Some.Library", source);

    private static CSharpCompilation Library(string name, params string[] sources) => Driver.Compilation(name, OutputKind.DynamicallyLinkedLibrary, Driver.Execution, sources);

    private static CSharpCompilation Application(string source, params MetadataReference[] references) => Driver.Compilation("App", OutputKind.ConsoleApplication, [.. Driver.Execution, .. references], source);

    private static CSharpCompilation Application(string source, string more) => Driver.Compilation("App", OutputKind.ConsoleApplication, Driver.Execution, source, more);

    private static GeneratorOutput Run(CSharpCompilation compilation, IReadOnlyDictionary<string, string>? properties = null) => Driver.Run(compilation, properties);

    private static IEnumerable<string> Files(GeneratorOutput output) => output.Result.GeneratedSources.Select(static one => one.HintName);
}

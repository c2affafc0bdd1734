using System.Diagnostics;
using Weir.Cli;
using Weir.Cli.Terminal;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary>Writes clients, compiles them with TypeScript from npm, and runs programs that use them in Node.</summary>
internal static class Toolchain
{
    private static readonly string Sources = Path.Combine(AppContext.BaseDirectory, "TypeScript");
    private static readonly Lazy<Task> Installed = new(static () => RunAsync(Sources, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"));

    /// <summary>Writes a client into an empty folder, with the programs that use it.</summary>
    /// <param name="name">The folder's name.</param>
    /// <param name="from">Where the contracts are.</param>
    /// <param name="programs">Files of the folder TypeScript.</param>
    internal static async Task<string> WriteAsync(string name, string from, params string[] programs)
    {
        Assert.SkipUnless(Exists("npm"), "npm is not installed");
        var folder = Path.Combine(AppContext.BaseDirectory, "Written", name);
        Directory.CreateDirectory(folder);
        foreach (var program in programs)
        {
            File.Copy(Path.Combine(Sources, program), Path.Combine(folder, program), overwrite: true);
        }

        // Node reads from here that the files are modules.
        File.Copy(Path.Combine(Sources, "package.json"), Path.Combine(folder, "package.json"), overwrite: true);
        await CommandAsync("client", "--from", from, "--out", Path.Combine(folder, "client.ts"));
        return folder;
    }

    /// <summary>Runs a command of the tool.</summary>
    /// <returns>What it wrote to standard output.</returns>
    internal static async Task<string> CommandAsync(params string[] arguments)
    {
        using var output = new StringWriter();
        using var errors = new StringWriter();
        var console = new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = output, Error = errors };
        var code = await WeirCommandLine.RunAsync(arguments, console, TestContext.Current.CancellationToken);
        Assert.True(code == 0, $"weir {string.Join(' ', arguments)} returned {code}: {errors}");
        return output.ToString();
    }

    /// <summary>Compiles all programs of a folder, as strictly as the compiler can.</summary>
    internal static async Task CompileAsync(string folder, params string[] programs)
    {
        await Installed.Value;
        await RunAsync(
            folder, "node",
            [
                Path.Combine(Sources, "node_modules", "typescript", "bin", "tsc"), "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noUnusedLocals", "--noImplicitReturns",
                "--noPropertyAccessFromIndexSignature", "--isolatedModules", "--erasableSyntaxOnly", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false", "client.ts", .. programs,
            ]);
    }

    /// <summary>Checks modules that are written in JavaScript, with their types in comments, as strictly; and copies them to where <see cref="NodeAsync"/> can run a program beside them.</summary>
    /// <param name="modules">The folder of the modules.</param>
    /// <param name="program">A file of the folder TypeScript that uses them, in JavaScript too.</param>
    /// <returns>The folder of the copies.</returns>
    internal static async Task<string> CheckAsync(string modules, string program)
    {
        Assert.SkipUnless(Exists("npm"), "npm is not installed");
        await Installed.Value;
        var folder = Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "Written", Path.GetFileNameWithoutExtension(program))).FullName;
        foreach (var file in Directory.EnumerateFiles(modules, "*.js").Append(Path.Combine(Sources, program)).Append(Path.Combine(Sources, "package.json")))
        {
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)), overwrite: true);
        }

        await RunAsync(
            folder, "node",
            [
                Path.Combine(Sources, "node_modules", "typescript", "bin", "tsc"), "--allowJs", "--checkJs", "--noEmit", "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noUnusedLocals",
                "--noImplicitReturns", "--noPropertyAccessFromIndexSignature", "--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "esnext,dom,dom.iterable",
                .. Directory.EnumerateFiles(folder, "*.js").Select(static file => Path.GetFileName(file)),
            ]);
        return folder;
    }

    /// <summary>Runs a compiled program in Node.</summary>
    internal static Task<string> NodeAsync(string folder, params string[] arguments) => RunAsync(folder, "node", arguments);

    private static bool Exists(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(folder => File.Exists(Path.Combine(folder, program)));

    private static async Task<string> RunAsync(string folder, string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { WorkingDirectory = folder, RedirectStandardOutput = true, RedirectStandardError = true };
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        var errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        try
        {
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }

        Assert.True(process.ExitCode == 0, $"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}: {await output} {await errors}");
        return await output;
    }
}

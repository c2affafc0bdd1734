using System;
using System.Security.Cryptography;

namespace Weir.Lab.Isolation;

/// <summary>The task of document 003: some memory, some processor time, and a static that neighbours could spoil.</summary>
/// <remarks>One thread at a time, as the document had it: the generator and the hash are shared and not thread-safe.</remarks>
public sealed class HelloTask : MarshalByRefObject
{
    private static readonly Random Generator = new Random();
    private static readonly SHA512 Sha = SHA512.Create();

    /// <summary>The canary: it stays true while no other code reaches these statics.</summary>
    public static bool StateMustBeTrue { get; set; } = true;

    public string DoTask(TaskKind kind, int size) =>
        kind == TaskKind.Nothing ? "" : DoTask(kind, new byte[size]);

    public string DoTask(TaskKind kind, byte[] buffer)
    {
        if (kind == TaskKind.Nothing)
            return "";
        if (!StateMustBeTrue)
            throw new InvalidOperationException("Other code changed the static that this task relies on.");

        if (kind == TaskKind.Load)
            Generator.NextBytes(buffer);
        if (kind == TaskKind.Witnessed)
            return Witnessed(buffer);
        return Convert.ToBase64String(Sha.ComputeHash(buffer));
    }

    private static string Witnessed(byte[] buffer)
    {
        var folder = Environment.GetEnvironmentVariable(Witness.FolderVariable)
            ?? throw new InvalidOperationException($"{Witness.FolderVariable} is not set.");
        var number = BitConverter.ToInt64(buffer, 0);
        Witness.Began(folder, number);
        var answer = Convert.ToBase64String(Sha.ComputeHash(buffer));
        Witness.Ended(folder, number);
        return answer;
    }
}

using System;
using System.Security.Cryptography;

namespace Weir.Lab.Isolation;

/// <summary>What the task of document 003 must answer: the result of everything that is timed is checked.</summary>
public static class HelloAnswer
{
    /// <summary>A hash in base64.</summary>
    public const int Length = 88;

    /// <summary>0, 1, 2, …: what every contender hashes when answers are compared.</summary>
    public static byte[] Counting(int bytes)
    {
        var data = new byte[bytes];
        for (var i = 0; i < bytes; i++)
            data[i] = (byte)i;
        return data;
    }

    /// <summary>The right answer for those bytes.</summary>
    public static string Of(int bytes)
    {
        using (var hash = SHA512.Create())
            return Convert.ToBase64String(hash.ComputeHash(Counting(bytes)));
    }

    /// <summary>The answer to a timed task: null is a task that was not done, even if its caller got no error.</summary>
    public static string Checked(TaskKind kind, string? answer)
    {
        var expected = kind == TaskKind.Nothing ? 0 : Length;
        return answer?.Length == expected
            ? answer
            : throw new InvalidOperationException($"A task answered {(answer is null ? "null" : $"{answer.Length} characters")} where {expected} characters are right.");
    }
}

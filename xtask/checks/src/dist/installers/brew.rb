# Runs a formula as Homebrew does, with an archive of this machine in place of the one at its address.
#
#   ruby brew.rb FORMULA ARCHIVE PREFIX
require "digest"
require "fileutils"
require "tmpdir"

# A folder below the prefix, into which a formula installs files.
class Place
  def initialize(path) = @path = path

  def install(*files)
    FileUtils.mkdir_p(@path)
    files.flatten.each { |file| FileUtils.cp(file, @path) }
  end

  def to_s = @path
end

class Formula
  class << self
    attr_reader :facts

    def inherited(formula)
      super
      formula.instance_variable_set(:@facts, {})
      Formula.instance_variable_set(:@last, formula)
    end

    attr_reader :last

    %i[desc homepage version license url sha256].each do |fact|
      define_method(fact) { |value = nil| value ? @facts[fact] = value : @facts.fetch(fact) }
    end

    { on_linux: "linux", on_macos: "darwin" }.each do |name, system|
      define_method(name) { |&block| block.call if RUBY_PLATFORM.include?(system) }
    end

    { on_intel: /x86_64/, on_arm: /aarch64|arm64/ }.each do |name, architecture|
      define_method(name) { |&block| block.call if RUBY_PLATFORM.match?(architecture) }
    end

    def test(&block) = @test = block

    def run_test(formula) = formula.instance_eval(&@test)
  end

  attr_reader :version

  def initialize(prefix)
    @prefix = prefix
    @version = self.class.version
  end

  { bin: "bin", man1: "share/man/man1", doc: "share/doc/claw", bash_completion: "etc/bash_completion.d",
    fish_completion: "share/fish/vendor_completions.d", zsh_completion: "share/zsh/site-functions" }.each do |name, path|
    define_method(name) { Place.new(File.join(@prefix, path)) }
  end

  def shell_output(command)
    output = `#{command}`
    raise "#{command} ended with #{$?}" unless $?.success?

    output
  end

  def assert_match(expected, text)
    raise "#{text} has no #{expected}" unless text.match?(expected)
  end
end

formula, archive, prefix = ARGV.map { |path| File.expand_path(path) }
load formula
made = Formula.last
abort "#{made.url} is not #{archive}" unless File.basename(made.url) == File.basename(archive)
abort "the checksum is not that of #{archive}" unless Digest::SHA256.file(archive).hexdigest == made.sha256
abort "the formula does not describe itself" if [made.desc, made.homepage, made.license].any?(&:empty?)
Dir.mktmpdir do |folder|
  system("tar", "-xzf", archive, "--strip-components=1", "-C", folder, exception: true)
  Dir.chdir(folder) { made.new(prefix).install }
end
made.run_test(made.new(prefix))
